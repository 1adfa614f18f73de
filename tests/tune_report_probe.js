// Runs in a page of a tuning, behind its own script: compares what was drawn with the data, by brute force. What is wrong goes
// into an element of its own, which the browser's dump of the page shows.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent), wrong = [];
  const check = (right, words) => right || wrong.push(words);
  const size = data.digits, width = size * data.parameters.length + 1, pair = document.getElementById("pair"), map = document.getElementById("map");
  const tried = data.values.map((value, i) => {
    const text = data.configs.slice(i * width, (i + 1) * width);
    return { value, outcome: parseInt(text.slice(-1), 16), places: data.parameters.map((_, p) => parseInt(text.substr(size * p, size), 16)) };
  });
  const winner = tried[data.best];
  const paths = [...document.querySelectorAll(".mark")].map((mark) => mark.getAttribute("d")).join("");
  check(paths.split("h0").length - 1 === data.values.length, "not a mark for each evaluation");
  check(document.getElementById("kernel").textContent === data.kernel, "another name");
  check(document.querySelectorAll("#best tr.winner").length === (winner ? 1 : 0), "the winner's row");
  const remarks = [...document.querySelectorAll("#best tbody tr")].map((row) => row.children[4].textContent);
  check(remarks.filter((text) => text.includes("tie")).length === (winner ? data.top.filter((top) => top.tied).length : 0), "ties");
  if (winner && data.share !== null)
    check(document.getElementById("verdict").textContent.includes(`${(100 * data.share).toFixed(0)} %`), "share of the roofline");
  check(document.querySelectorAll("#failures pre").length === data.failures.length, "failures");
  const devices = [...document.querySelectorAll("#devices tbody tr")].map((row) => row.children[0].textContent);
  check(devices.join() === data.devices.map((one) => one.id).join(), "devices");
  check(document.getElementById("devices").hidden === !data.devices.length, "devices are shown where there are several");
  check(document.querySelectorAll("#faults p").length === data.devices.filter((one) => one.losses).length, "faults of devices");
  const energy = document.getElementById("both");
  check(energy.hidden === !data.both.length, "time and energy are shown where both were measured");
  check(energy.querySelectorAll("circle").length === (data.both.length ? data.others.filter((one, i) => one !== null && data.values[i] !== null).length : 0), "time and energy: marks");
  check(energy.querySelectorAll("line.best").length === Math.max(0, data.both.length - 1), "time and energy: the front");
  const counters = document.getElementById("counters"), both = data.counters.some((row) => row[2]);
  check(counters.hidden === !(data.counters.length || data.counters_reason), "counters are shown where they were requested");
  check([...counters.querySelectorAll("tbody tr")].map((row) => [...row.children].map((cell) => cell.textContent).join("|")).join("\n") ===
    data.counters.map((row) => row.slice(0, both ? 3 : 2).map((text) => text || "\u2013").join("|")).join("\n"), "counters: rows");
  check(counters.querySelector("p").textContent.includes(data.counters_reason), "counters: the reason");
  const attributes = [...document.querySelectorAll("svg, svg *")].flatMap((element) => [...element.attributes].map((one) => one.value));
  check(!attributes.some((text) => /NaN|Infinity|undefined|null/.test(text)), "an attribute is no number");
  check(!/NaN|undefined|\[object/.test(document.body.innerText), "a text is no text");

  // The map of each pair of parameters: the cells, row by row, and their numbers.
  for (const option of pair.children) {
    pair.value = option.value;
    pair.dispatchEvent(new Event("change"));
    const [x, y] = option.textContent.split(" and ").map((name) => data.parameters.findIndex((p) => p[0] === name));
    const expected = [];
    let full = 0, outlined = 0;
    for (let row = 0; row < (y === undefined ? 1 : data.parameters[y].length - 1); row++)
      for (let column = 0; column < data.parameters[x].length - 1; column++) {
        const here = tried.filter((one) => one.places[x] === column && (y === undefined || one.places[y] === row));
        const works = here.filter((one) => one.value !== null), measured = works.filter((one) => one.outcome === 0);
        const best = works.includes(winner) ? winner.value : Math.min(...(measured.length ? measured : works).map((one) => one.value));
        if (works.length) expected.push((best / winner.value).toFixed(2));
        else if (here.length) expected.push("\u00d7");
        full += works.length > 0;
        outlined += here.includes(winner);
      }
    const squares = [...map.querySelectorAll(".cells")].map((path) => path.getAttribute("d")).join("").split("h1v1h-1z").length - 1;
    const found = [...map.querySelectorAll(".number")].map((text) => text.textContent);
    if (squares) check(squares === full && !found.length, `${option.textContent}: ${squares} squares, expected ${full}`);
    else check(found.join() === expected.join(), `${option.textContent}: other cells`);
    check(map.querySelectorAll(".outline").length === outlined, `${option.textContent}: the winner's cell`);
  }
  document.title = `width ${document.documentElement.scrollWidth} of ${innerWidth}`;
  document.body.append(Object.assign(document.createElement("pre"), { id: "probed", textContent: wrong.join("; ") || "fine" }));
})();
