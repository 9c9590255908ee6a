"use strict";
(() => {
  const by = (id) => document.getElementById(id);

  // The ground: as the system has it, light, or dark.
  const root = document.documentElement;
  const grounds = { "": "System", light: "Light", dark: "Dark" };
  function lay(ground) {
    root.dataset.ground = ground;
    by("ground").textContent = grounds[ground];
    by("ground").setAttribute("aria-label", `Colours: ${grounds[ground]}`);
  }
  lay(root.dataset.ground in grounds ? root.dataset.ground : "");
  by("ground").addEventListener("click", () => {
    const names = Object.keys(grounds);
    lay(names[(names.indexOf(root.dataset.ground) + 1) % names.length]);
    try { localStorage.setItem("beeline-ground", root.dataset.ground); } catch {}
  });

  const page = document.querySelector("#pages [aria-current]");
  if (page) by("pages").scrollTop = page.offsetTop - by("pages").offsetTop - by("pages").clientHeight / 2;
  by("menu").addEventListener("click", () => {
    const open = by("pages").classList.toggle("open");
    by("menu").setAttribute("aria-expanded", open);
  });

  // Of sessions, the commands are copied; of Python's own sessions, what follows the prompts.
  function source(block) {
    const text = block.querySelector("code").textContent.trimEnd();
    const prompt = { "language-console": /^\$ /, "language-pycon": /^(>>>|\.\.\.) ?/ };
    const kind = Object.keys(prompt).find((name) => block.classList.contains(name));
    if (!kind) return text;
    const lines = text.split("\n");
    const typed = [];
    lines.forEach((line, number) => {
      const follows = kind === "language-console" && typed.length && /\\$/.test(lines[number - 1] ?? "");
      if (prompt[kind].test(line) || follows) typed.push(line.replace(prompt[kind], ""));
    });
    return typed.join("\n");
  }
  for (const block of document.querySelectorAll("div.highlight")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(source(block));
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    block.append(button);
  }

  // The search. Its index is a script, which pages that are opened as files may load.
  const query = by("query");
  const found = by("found");
  const MOST = 30;
  let index = null;
  function load() {
    if (index !== null) return;
    index = [];
    const script = document.createElement("script");
    script.src = `${document.body.dataset.base}search/search_index.js`;
    script.addEventListener("load", () => {
      index = window.searchIndex.docs.map((each) => ({ ...each, low: each.text.toLowerCase(), head: each.title.toLowerCase() }));
      show();
    });
    document.head.append(script);
  }
  function score({ low, head }, words) {
    let sum = 0;
    for (const word of words) {
      const title = head.split(/[^\w-]+/).some((each) => each.startsWith(word)) ? 20 : head.includes(word) ? 8 : 0;
      const times = Math.min(5, low.split(word).length - 1);
      if (!title && !times) return 0;
      sum += title + times;
    }
    return sum;
  }
  function excerpt({ text, low }, words) {
    const place = Math.max(0, Math.min(...words.map((word) => low.indexOf(word)).filter((at) => at >= 0), Infinity));
    const start = Number.isFinite(place) ? Math.max(0, place - 60) : 0;
    const line = document.createElement("p");
    const part = text.slice(start, start + 180).replace(/\s+/g, " ");
    const marked = new RegExp(`(${words.map((word) => word.replace(/[^\w\s]/g, "\\$&")).join("|")})`, "gi");
    part.split(marked).forEach((piece, number) => {
      const node = number % 2 ? document.createElement("mark") : document.createTextNode("");
      node.textContent = piece;
      line.append(node);
    });
    return line;
  }
  function show() {
    const words = query.value.toLowerCase().split(/\s+/).filter((word) => word.length > 1);
    found.hidden = !words.length;
    const all = words.length ? index.map((each) => [score(each, words), each]).filter(([points]) => points) : [];
    // A page as a whole is only told of where none of its sections has all words.
    const sections = new Set(all.map(([, each]) => each.location.split("#")).filter(([, part]) => part).map(([name]) => name));
    const best = all.filter(([, each]) => !sections.has(each.location));
    best.sort(([a], [b]) => b - a);
    by("count").textContent = !index.length ? "Loading" : best.length ? `${best.length} found` : "Nothing found";
    found.querySelector("ol").replaceChildren(...best.slice(0, MOST).map(([, each]) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = document.body.dataset.base + each.location;
      link.textContent = each.title;
      link.append(excerpt(each, words));
      item.append(link);
      return item;
    }));
  }
  query.form.addEventListener("submit", (event) => {
    event.preventDefault();
    found.querySelector("a")?.click();
  });
  query.addEventListener("focus", load);
  query.addEventListener("input", show);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") found.hidden = true;
    if (event.key === "/" && !event.target.closest("input")) {
      event.preventDefault();
      query.focus();
    }
  });
  document.addEventListener("click", (event) => {
    if (!event.target.closest("form") || event.target.closest("#found a")) found.hidden = true;
  });
})();
