"use strict";
// The search: which of its expansions is looked at follows `look`.
(() => {
  const by = (id) => document.getElementById(id);
  const all = JSON.parse(by("data").textContent).search;
  if (!all.length) return;
  const slider = by("expansion");
  const nodes = [...document.querySelectorAll(".tree .node")];
  const course = by("course");
  let here = 0;

  function look(place) {
    nodes[here].classList.remove("here");
    here = Math.max(0, Math.min(all.length - 1, place));
    nodes[here].classList.add("here");
    const about = all[here];
    slider.value = here;
    by("turn").value = `${here + 1} / ${all.length}`;
    by("earlier").disabled = here === 0;
    by("later").disabled = here === all.length - 1;
    const name = about.turn ? `Expansion ${about.turn}` : "The goal";
    const way = about.depth ? `after ${about.step}, ${about.depth} step${about.depth > 1 ? "s" : ""} from the beginning` : "the beginning";
    const score = about.score ? `, ${slider.dataset.score} ${about.score}` : "";
    by("expanded").textContent = `${name}: ${way}${score}.`;
    slider.setAttribute("aria-valuetext", name);
    const body = by("successors");
    body.replaceChildren();
    for (const [value, step, fate] of about.shown ?? []) {
      const line = body.insertRow();
      if (/^(expanded|the goal)/.test(fate)) line.className = "chosen";
      [value, step, fate].forEach((text, column) => {
        const cell = line.insertCell();
        cell.textContent = text;
        if (!column) cell.className = "number";
      });
    }
    const rest = about.successors - (about.shown ?? []).length;
    by("successors-note").textContent = about.shown === undefined
      ? (about.turn ? "Too many states: nothing was looked up for this one." : "It was not expanded.")
      : `${about.successors} in all, ${about.chosen} chosen${rest ? `; ${rest} not shown` : ""}.`;
    const x = Number(course.dataset.left) + Number(course.dataset.wide) * about.time / Number(course.dataset.last);
    course.querySelector(".cursor").setAttribute("transform", `translate(${x} 0)`);
    const canvas = nodes[here].closest(".canvas");
    const [node, frame] = [nodes[here].getBoundingClientRect(), canvas.getBoundingClientRect()];
    if (node.left < frame.left || node.right > frame.right) canvas.scrollLeft += node.left - frame.left - frame.width / 2;
    if (node.top < frame.top || node.bottom > frame.bottom) canvas.scrollTop += node.top - frame.top - frame.height / 2;
  }

  slider.addEventListener("input", () => look(Number(slider.value)));
  by("earlier").addEventListener("click", () => look(here - 1));
  by("later").addEventListener("click", () => look(here + 1));
  nodes.forEach((node, place) => node.addEventListener("click", () => look(place)));
  look(0);
})();
// Walks through the states of a plan: everything that depends on the state follows `go`.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const last = data.steps.length;
  if (!last) return;
  const by = (id) => document.getElementById(id);
  const slider = by("slider");
  const buttons = [...document.querySelectorAll("#timeline button")];
  const sprites = [...document.querySelectorAll(".picture :is(.sprite, .mark)")];
  const centred = document.querySelector(".picture.centred") !== null;
  const items = new Map([...document.querySelectorAll("[data-fact]")].map((e) => [Number(e.dataset.fact), e]));
  const goals = [...document.querySelectorAll(".goals li")];
  let here = 0;

  // The true facts, and the boxes of sprites, of every state.
  const truths = [new Set(data.first)];
  for (let k = 0; k < last; k++) {
    const next = new Set(truths[k]);
    for (const fact of data.deleted[k]) next.delete(fact);
    for (const fact of data.added[k]) next.add(fact);
    truths.push(next);
  }
  const boxes = [];
  for (const moves of data.moves) {
    const frame = boxes.length ? boxes[boxes.length - 1].slice() : sprites.map(() => null);
    for (const [sprite, ...box] of moves) frame[sprite] = box.length ? box : null;
    boxes.push(frame);
  }

  function draw(state) {
    if (!boxes.length) return;
    boxes[state].forEach((box, number) => {
      const sprite = sprites[number];
      sprite.setAttribute("visibility", box ? "visible" : "hidden");
      if (!box) return;
      const [x, y, width, height, status] = box;
      const rect = sprite.querySelector("rect");
      const text = sprite.querySelector("text");
      sprite.classList.remove("s0", "s1", "s2");
      sprite.classList.add(`s${status}`);
      sprite.setAttribute("transform", `translate(${x} ${y})`);
      rect.setAttribute("width", width);
      rect.setAttribute("height", height);
      if (text) text.setAttribute("x", width / 2);
      if (text && centred) text.setAttribute("y", height / 2 + 4);
    });
  }

  function row(body, number, words, style) {
    const line = body.insertRow();
    const taken = style === "taken";
    line.className = style ?? "";
    const cell = line.insertCell();
    cell.className = "number";
    cell.textContent = number;
    line.insertCell().textContent = taken ? `${words} ← taken` : words;
  }

  function signed(value) {
    return (value < 0 ? "−" : "+") + Math.abs(value).toPrecision(3).replace(/\.?0+$/, "");
  }

  function why(state) {
    const note = by("why-step");
    if (!note) return;
    const step = state - 1;
    by("choices").replaceChildren();
    if (by("reasons")) by("reasons").replaceChildren();
    if (step < 0 || step >= data.choices.length) {
      note.textContent = step < 0 ? "Choose a step." : "Too many states: nothing was computed for this step.";
      return;
    }
    const [better, all] = data.ranks[step];
    const rank = better === 0 ? "" : better === 1 ? `, none of ${all} leads to a better value` : `: ${better - 1} of ${all} lead to a better value`;
    note.textContent = `${data.steps[step]}${rank}`;
    for (const [text, value, taken] of data.choices[step]) row(by("choices"), value, text, taken ? "taken" : "");
    if (!by("reasons") || !data.reasons.length) return;
    const reasons = data.reasons[step];
    for (const [word, change] of reasons.shown) row(by("reasons"), signed(change), data.words[word]);
    if (reasons.more) row(by("reasons"), signed(reasons.rest), `and ${reasons.more} smaller changes together`);
    row(by("reasons"), signed(reasons.sum), "in all: lower is better", "sum");
  }

  function go(state, focus) {
    here = Math.max(0, Math.min(last, state));
    const truth = truths[here];
    slider.value = here;
    by("place").value = `${here} / ${last}`;
    by("back").disabled = here === 0;
    by("on").disabled = here === last;
    for (const [fact, item] of items) {
      item.hidden = !truth.has(fact);
      item.classList.toggle("new", here > 0 && !item.hidden && !truths[here - 1].has(fact));
    }
    let reached = 0;
    data.goals.forEach(([fact, negated], number) => {
      const holds = fact === -2 || (fact >= 0 && truth.has(fact)) !== negated;
      if (holds) reached++;
      const [mark, word] = goals[number].children;
      goals[number].className = holds ? "holds" : "open";
      mark.textContent = holds ? "✓" : "·";
      word.textContent = holds ? "holds:" : "open:";
    });
    if (data.goals.length) by("reached").textContent = `${reached} of ${data.goals.length} hold`;
    buttons.forEach((button, number) => {
      button.tabIndex = number === here ? 0 : -1;
      if (number === here) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    });
    const list = by("timeline");
    const item = buttons[here].parentElement;
    const above = item.offsetTop - list.scrollTop;
    if (above < 0 || above + item.offsetHeight > list.clientHeight) {
      list.scrollTop = item.offsetTop - list.clientHeight / 2;
    }
    if (focus) buttons[here].focus({ preventScroll: true });
    const words = here === 0 ? "Before the first step" : `Step ${here} of ${last}: ${data.steps[here - 1]}`;
    const ends = data.goals.length ? `. ${reached} of ${data.goals.length} goals hold.` : ".";
    by("now").textContent = words + ends;
    slider.setAttribute("aria-valuetext", words);
    document.querySelectorAll("[data-curve]").forEach((cell) => {
      cell.textContent = data.values[Number(cell.dataset.curve)][here];
    });
    const chart = by("curve");
    if (chart) {
      const x = Number(chart.dataset.left) + Number(chart.dataset.wide) * here / last;
      chart.querySelector(".cursor").setAttribute("transform", `translate(${x} 0)`);
    }
    draw(here);
    why(here);
  }

  slider.addEventListener("input", () => go(Number(slider.value)));
  by("back").addEventListener("click", () => go(here - 1));
  by("on").addEventListener("click", () => go(here + 1));
  buttons.forEach((button, number) => button.addEventListener("click", () => go(number)));
  by("timeline").addEventListener("keydown", (event) => {
    const to = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    go(to, true);
  });
  document.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const busy = event.target.closest?.("input, .canvas") || event.altKey || event.ctrlKey || event.metaKey;
    if (step === undefined || busy) return;
    event.preventDefault();
    go(here + step, event.target.closest?.("#timeline") !== null);
  });
  const chart = by("curve");
  if (chart) {
    chart.addEventListener("click", (event) => {
      const box = chart.getBoundingClientRect();
      const x = (event.clientX - box.left) / box.width * chart.viewBox.baseVal.width;
      go(Math.round((x - Number(chart.dataset.left)) / Number(chart.dataset.wide) * last));
    });
  }
  let timer = 0;
  function play(on) {
    clearInterval(timer);
    by("play").setAttribute("aria-pressed", on);
    by("play").textContent = on ? "Stop" : "Play";
    if (!on) return;
    if (here === last) go(0);
    timer = setInterval(() => { go(here + 1); if (here === last) play(false); }, 700);
  }
  by("play").addEventListener("click", () => play(by("play").getAttribute("aria-pressed") !== "true"));
  go(0);
})();
