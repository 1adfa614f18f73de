#!/usr/bin/env python3
"""browser.py HTML_TREES [COUNT [SEED]]: trees of our parser against those of headless Chromium (DOMParser): of the pages of
Debian packages that are here, at most 200, and of COUNT texts that are cut out of them and mutated (10,000).

Chromium 156 differs from the standard in a few points (README.md), which the texts leave out."""
import json, pathlib, random, re, subprocess, sys, tempfile

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))
import browsers

# The tree of a text in the form of html_trees. Chromium cuts text nodes at 65,536 characters.
SCRIPT = r'''
const spaces = {'http://www.w3.org/1999/xhtml': '', 'http://www.w3.org/2000/svg': 'svg ', 'http://www.w3.org/1998/Math/MathML': 'math ',
    'http://www.w3.org/1999/xlink': 'xlink ', 'http://www.w3.org/XML/1998/namespace': 'xml ', 'http://www.w3.org/2000/xmlns/': 'xmlns '};
function dump(node, indent, lines) {
    for (let n = node.firstChild; n; n = n.nextSibling) {
        const last = n.previousSibling;
        if (n.nodeType == 1) {
            lines.push(`| ${indent}<${spaces[n.namespaceURI]}${n.localName}>\n`);
            for (const a of [...n.attributes].map(a => `${a.namespaceURI ? spaces[a.namespaceURI] : ''}${a.namespaceURI ? a.localName : a.name}="${a.value}"\n`).sort())
                lines.push(`| ${indent}  ${a}`);
            if (n.content && n.localName == 'template') {
                lines.push(`| ${indent}  content\n`);
                dump(n.content, indent + '    ', lines);
            } else dump(n, indent + '  ', lines);
        } else if (n.nodeType == 3) {
            if (last && last.nodeType == 3 && last.data.length % 65536 == 0) lines.push(lines.pop().slice(0, -2) + n.data + '"\n');
            else lines.push(`| ${indent}"${n.data}"\n`);
        } else if (n.nodeType == 8) lines.push(`| ${indent}<!-- ${n.data} -->\n`);
        else if (n.nodeType == 7) lines.push(`| ${indent}<!-- ?${n.target}${n.data ? ' ' + n.data : ''} -->\n`);
        else if (n.nodeType == 10)
            lines.push(`| <!DOCTYPE ${n.name}${n.publicId || n.systemId ? ` "${n.publicId}" "${n.systemId}"` : ''}>\n`);
    }
}
function trees(texts) {
    return texts.map(text => {
        const lines = [];
        dump(new DOMParser().parseFromString(text, 'text/html'), '', lines);
        return lines.join('').toWellFormed();
    });
}
'''
PIECES = ('<p>', '</p>', '<b>', '</b>', '<i>', '</i>', '<a href=x>', '</a>', '<table>', '</table>', '<tr>', '</tr>', '<td>', '</td>', '<th>', '<tbody>', '</tbody>',
          '<caption>', '</caption>', '<colgroup>', '<col>', '<select>', '</select>', '<option>', '</option>', '<optgroup>', '<hr>', '<input>', '<input type=hidden>', '<button>',
          '</button>', '<form>', '</form>', '<div>', '</div>', '<ul>', '<li>', '</ul>', '<dl>', '<dt>', '<dd>', '<svg>', '</svg>', '<math>', '</math>', '<mi>', '<mtext>',
          '<foreignObject>', '</foreignObject>', '<desc>', '<title>', '</title>', '<annotation-xml encoding=text/html>', '<template>', '</template>', '<script>', '</script>', '<style>',
          '</style>', '<textarea>', '</textarea>', '<!--', '-->', '--!>', '<!DOCTYPE html>', '<![CDATA[', ']]>', '<head>', '</head>', '<body class=c>', '<html lang=de>',
          '<frameset>', '<frame>', '</frameset>', '<noscript>', '</noscript>', '<noframes>', '<iframe>', '</iframe>', '<plaintext>', '<pre>\n', '<h1>', '</h2>', '<nobr>', '</nobr>',
          '<font color=red>', '<font>', '<object>', '</object>', '<marquee>', '<br>', '</br>', '<img>', '<image>', '<dialog>', '</dialog>', '<details>', '<summary>', '<menu>',
          '<ruby>', '<rt>', '<rtc>', '<rb>', '<xmp>', '</xmp>', '<meta>', '<link>', '<base>', '<center>', '</center>', '&amp', '&lt;', '&notin', '&#x80;', '&#0;', '"', "'", '=', '/', '>', '<',
          '\0', '\f', ' a=b', ' CLASS="a b"', '<address>', '<svg viewBox=0 xlink:href=a />', '<math definitionurl=a />', '<selectedcontent>', '<span', '</', '<x-y>', '</x-y>')


def ours(program, texts, scratch):
    files = []
    for i, text in enumerate(texts):
        files.append(scratch / f'{i}.html')
        files[-1].write_bytes(text.encode())
    out = subprocess.run([program, 'dump'] + files, capture_output=True, check=True).stdout.decode()
    found = re.split(rf'^# {re.escape(str(scratch))}/\d+\.html\n', out, flags=re.M)[1:]
    assert len(found) == len(texts)
    return found


def mutate(pages, chance):
    page = chance.choice(pages)
    begin = chance.randrange(len(page))
    text = page[begin:begin + chance.randrange(20, 1500)]
    for _ in range(chance.randrange(1, 20)):
        at, to = sorted((chance.randrange(len(text) + 1), chance.randrange(len(text) + 1)))
        kind = chance.randrange(6)
        if kind < 4:
            text = text[:at] + ''.join(chance.choices(PIECES, k=chance.randrange(1, 5))) + text[at:]
        elif kind == 4:
            text = text[:at] + text[min(to, at + 40):]
        else:
            text = text[:to] + text[at:min(to, at + 80)] + text[to:]
    text = re.sub(r'\r\n?', '\n', re.sub(r'<\0+', '<', text.replace('</html>', '').replace('</body>', '')))
    text = re.sub(r'\bis\b', 'it', text)
    if '<frameset' in text.lower():
        text = re.sub('\ufffd|&#0;?', 'x', text)
    text = re.sub(r'<!\[CDATA\[.*?(\]\]>|$)', lambda section: section[0].replace('\0', ''), text, flags=re.S)
    text = re.sub(r'(?i)(<selectedcontent\b.*)', lambda rest: rest[0][:1] + re.sub(r'(?i)<selectedcontent\b', '<span', rest[0][1:]), text, flags=re.S)
    if '\0' in text:
        text = '<body>' + re.sub(r'(?i)<col', '<div', text)
    return re.sub(r'(?i)<(form|caption|col|colgroup|tbody|thead|tfoot|t[dhr]|base|basefont|bgsound|noframes|title)\b', '<div', text) if '<template' in text.lower() else text


def deviates(text, found):
    """True if Chromium reads `</foreignObject>` in SVG as another name than that of an open foreignobject of HTML."""
    return '</foreignobject' in text.lower() and '<foreignobject>' in found


def compare(browser, program, texts, names, scratch):
    wrong = 0
    expected = browser.value(f'trees({json.dumps(texts)})')
    for name, text, theirs, found in zip(names, texts, expected, ours(program, texts, scratch)):
        if theirs != found and not deviates(text, found):
            wrong += 1
            difference = next((i for i, (a, b) in enumerate(zip(theirs.split('\n'), found.split('\n'))) if a != b), -1)
            around = lambda tree: '\n'.join(tree.split('\n')[max(0, difference - 6):difference + 3])
            if wrong <= 3:
                print(f'{name}: {text[:1500]!r}\nChromium:\n{around(theirs)}\nours:\n{around(found)}\n')
    return wrong


def main():
    program, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10000
    chance = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    paths = sorted(path for path in pathlib.Path('/usr/share').rglob('*.html') if path.is_file() and 2000 < path.stat().st_size < 4e6)
    paths = chance.sample(paths, min(200, len(paths)))
    pages = [path.read_bytes().decode(errors='replace').lstrip('\ufeff') for path in paths]
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        browser = browsers.start('chromium', folder)
        if not browser:
            return 77
        browser.value(SCRIPT)
        wrong = sum(compare(browser, program, [page], [path], scratch) for page, path in zip(pages, paths))
        print(f'{wrong} of {len(pages)} pages differ')
        mutated = 0
        for begin in range(0, count, 250):
            texts = [mutate(pages, chance) for _ in range(begin, min(count, begin + 250))]
            mutated += compare(browser, program, texts, range(begin, begin + 250), scratch)
        print(f'{mutated} of {count} mutated texts differ')
    return int(wrong + mutated > 0)


if __name__ == '__main__':
    sys.exit(main())
