// Search over the handbook's sections and the functions of C, which search/index.js brings as a script: pages that are read from
// a disk may not fetch. Every word has to occur, as the beginning of a word; titles weigh more than texts, and names of C as titles.
const query = document.getElementById('query'), found = document.getElementById('found'), article = document.querySelector('main > article')
const escape = text => text.replace(/[&<>"]/g, c => `&#${c.charCodeAt(0)};`)

function score(entry, words) {
  let sum = 0
  for (const word of words) {
    const title = entry.title.toLowerCase().search(word), text = entry.text.toLowerCase().search(word)
    if (title < 0 && text < 0) return 0
    sum += (title >= 0 ? 10 / (1 + entry.title.length / 40) : 0) + (text >= 0 ? 1 : 0)
  }
  return sum
}

function excerpt(entry, words) {
  const at = Math.max(0, entry.text.toLowerCase().search(words[0]) - 60)
  return (at ? '... ' : '') + escape(entry.text.slice(at, at + 220)) + (entry.text.length > at + 220 ? ' ...' : '')
}

function search() {
  const words = query.value.toLowerCase().split(/\s+/).filter(word => word.length > 1).map(word => new RegExp('(^|[^a-z0-9])' + word.replace(/[^\w]/g, '\\$&')))
  found.hidden = !words.length
  article.hidden = !found.hidden
  if (!words.length) return
  const best = search_index.map(entry => [score(entry, words), entry]).filter(([points]) => points).sort((a, b) => b[0] - a[0]).slice(0, 40)
  found.innerHTML = `<h1>${best.length ? best.length : 'Nothing'} found</h1>` +
    best.map(([, entry]) => `<article><h3><a href="${root}/${entry.location}">${escape(entry.title)}</a></h3><p>${excerpt(entry, words)}</p></article>`).join('')
}

query.addEventListener('input', search)
query.form.addEventListener('submit', event => event.preventDefault())
const asked = new URLSearchParams(location.search).get('q')
if (asked) { query.value = asked; search() }
