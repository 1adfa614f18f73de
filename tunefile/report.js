// The page is whole without this. Here the reader chooses another pair of parameters, and points at single marks.
"use strict";
(() => {
  for (const element of document.querySelectorAll(".script")) element.hidden = false;
  const choice = document.getElementById("pair");
  if (choice)
    choice.addEventListener("change", () => {
      document.querySelectorAll(".map").forEach((map, i) => { map.hidden = i !== Number(choice.value); });
    });

  const data = JSON.parse(document.getElementById("data").textContent);
  const chart = document.getElementById("convergence"), told = document.getElementById("told"), ring = document.getElementById("pointed");
  const count = data.values.length, width = 2 * data.parameters.length + 1;
  const low = Math.log(chart.dataset.low), high = Math.log(chart.dataset.high), plot = Number(chart.dataset.plot);

  function show(value) {
    if (data.objective === 2) return value.toPrecision(4);
    const units = data.objective === 1 ? ["nJ", "uJ", "mJ", "J"] : ["ns", "us", "ms", "s"];
    let step = 0;
    for (value *= 1e9; value >= 999.5 && step < 3; step++) value /= 1000;
    return `${value.toPrecision(3)} ${units[step]}`;
  }
  function tell(i) {
    const text = data.configs.slice(i * width, (i + 1) * width);
    const words = data.parameters.map((p, k) => `${p[0]}=${p[1 + parseInt(text.slice(2 * k, 2 * k + 2), 16)]}`);
    const outcome = data.outcomes[parseInt(text.slice(-1), 16)];
    return `${i + 1}: ${data.values[i] ? `${show(data.values[i])}, ` : ""}${outcome}, ${words.join(" ")}`;
  }
  const place = (i) => plot * (1 - (Math.log(data.values[i]) - low) / (high - low));

  // Nearest mark with a value to the pointer, in pixels.
  chart.addEventListener("pointermove", (event) => {
    const box = chart.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    let best = -1, nearest = 24 * 24;
    for (let i = 0; i < count; i++) {
      if (!data.values[i]) continue;
      const distance = ((i + 0.5) / count * box.width - x) ** 2 + (place(i) - y) ** 2;
      if (distance < nearest) { nearest = distance; best = i; }
    }
    ring.toggleAttribute("hidden", best < 0);
    told.textContent = best < 0 ? "" : tell(best);
    if (best < 0) return;
    ring.setAttribute("cx", `${(best + 0.5) / count * 100}%`);
    ring.setAttribute("cy", place(best));
  });
})();
