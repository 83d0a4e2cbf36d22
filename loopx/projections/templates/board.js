"use strict";
(() => {
  const one = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const PAGE = 50;
  const VIEWS = ["board", "goals", "graph", "timeline", "problems"];

  const todos = JSON.parse(one("#todos").textContent);
  const byId = new Map(todos.map((todo) => [todo.i, todo]));
  const lanes = all(".lane");
  const detail = one("#detail");
  const fields = { goal: one("#goal"), text: one("#text") };
  let limits = lanes.map(() => PAGE);
  let shown = "";

  // What the page shows is written in its address, so that a view can be kept, sent and gone back to.
  function read() {
    const asked = new URLSearchParams(location.hash.slice(1));
    const view = asked.get("view");
    return {
      view: VIEWS.includes(view) ? view : "board",
      goal: asked.get("goal") || "",
      q: asked.get("q") || "",
      todo: asked.get("todo") || "",
    };
  }

  function go(changes, replaces = false) {
    const asked = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...read(), ...changes })) {
      if (value && !(name === "view" && value === "board")) asked.set(name, value);
    }
    const address = "#" + asked;
    if (replaces) history.replaceState(null, "", address);
    else if (address !== (location.hash || "#")) history.pushState(null, "", address);
    show();
  }

  function show() {
    const asked = read();
    if (document.activeElement !== fields.text) fields.text.value = asked.q;
    fields.goal.value = asked.goal;
    for (const view of VIEWS) one(`#view-${view}`).hidden = view !== asked.view;
    for (const tab of all(".views a")) {
      if (tab.dataset.view !== asked.view) tab.removeAttribute("aria-current");
      else {
        tab.setAttribute("aria-current", "page");
        tab.parentElement.scrollLeft = tab.offsetLeft - tab.parentElement.offsetLeft - 60;
      }
    }
    filterCards(asked);
    filterRest(asked);
    open(asked.todo);
  }

  const haystack = (todo) =>
    (todo.h ??= [todo.i, todo.t, todo.g, todo.w, todo.p, todo.s, todo.c, ...(todo.k || []), ...(todo.r || [])]
      .join("\n")
      .toLocaleLowerCase());

  function matches(todo, goal, words) {
    return (!goal || todo.g === goal) && words.every((word) => haystack(todo).includes(word));
  }

  const wordsOf = (text) => text.toLocaleLowerCase().split(/\s+/).filter(Boolean);

  function filterCards({ goal, q }) {
    const words = wordsOf(q);
    const isFiltered = Boolean(goal || words.length);
    // Cards are made anew only when others are wanted, so that none loses the focus to a view or an opened Todo.
    const wanted = JSON.stringify([goal, words, limits]);
    if (wanted === shown) return;
    shown = wanted;
    let found = 0;
    lanes.forEach((lane, number) => {
      const chosen = todos.filter((todo) => todo.l === number && matches(todo, goal, words));
      found += chosen.length;
      fillLane(lane, chosen, limits[number], isFiltered);
    });
    const total = lanes.reduce((sum, lane) => sum + Number(lane.dataset.number), 0);
    one("#found").textContent = isFiltered ? `${found} of ${total}` : "";
  }

  function fillLane(lane, chosen, limit, isFiltered) {
    const total = Number(lane.dataset.number);
    const fitting = chosen.slice(0, limit);
    one(".cards", lane).replaceChildren(...fitting.map(card));
    one(".number", lane).textContent = isFiltered ? `${chosen.length} of ${total}` : String(total);
    const empty = one(".empty", lane);
    empty.hidden = chosen.length > 0;
    empty.textContent = isFiltered && total ? "Nothing matches." : "Nothing here.";
    const more = one(".more", lane);
    more.hidden = chosen.length <= fitting.length;
    one("button", more).textContent = `${chosen.length - fitting.length} more`;
  }

  function filterRest({ goal, q }) {
    const words = wordsOf(q);
    for (const each of all("[data-goal]")) {
      const isElsewhere = Boolean(goal) && each.dataset.goal !== goal;
      each.hidden = isElsewhere || (each.matches(".entry, article.goal") && !holds(each, words));
      if (each.matches("details") && goal && !isElsewhere) each.open = true;
    }
    for (const each of all(".problem")) each.hidden = !holds(each, words);
    for (const day of all(".day")) day.hidden = all(".entry", day).every((entry) => entry.hidden);
  }

  const holds = (element, words) => {
    const text = words.length ? element.textContent.toLocaleLowerCase() : "";
    return words.every((word) => text.includes(word));
  };

  // Every text goes in as text. A mark without a value is taken away, one with many is repeated.
  function fill(root, values) {
    for (const slot of all("[data-slot]", root)) {
      const value = values[slot.dataset.slot];
      const items = (Array.isArray(value) ? value : [value]).filter(Boolean);
      slot.replaceWith(...items.map((item) => filled(slot.cloneNode(true), item)));
    }
    return root;
  }

  function filled(slot, item) {
    slot.textContent = item.text ?? item;
    if (item.href) slot.href = item.href;
    if (item.todo) slot.dataset.todo = item.todo;
    return slot;
  }

  const fresh = (id) => one(id).content.firstElementChild.cloneNode(true);

  function card(todo) {
    const made = fill(fresh("#card"), {
      title: { text: todo.t, href: todo.f, todo: todo.i },
      reasons: todo.r, priority: todo.p, who: todo.w, sort: todo.c, ended: todo.s, run: todo.n, tags: todo.k, goal: todo.g, id: todo.i,
    });
    made.dataset.priority = todo.p;
    if (todo.s) made.dataset.ended = todo.s;
    else delete made.dataset.ended;
    return made;
  }

  const reference = (id) => ({ text: byId.has(id) ? `${id} ${byId.get(id).t}` : id, href: byId.get(id)?.f, todo: id });

  function sheet(todo) {
    const lane = lanes[todo.l];
    const made = fill(fresh("#sheet"), {
      state: todo.s || lane.getAttribute("aria-label"), goal: todo.g, id: todo.i, title: todo.t, reasons: todo.r,
      priority: todo.p, who: todo.w, sort: todo.c, tags: todo.k, requires: todo.q, created: todo.a,
      depends: todo.d?.map(reference), successors: todo.u?.map(reference), supersedes: todo.x?.map(reference),
      closed: todo.e && [todo.e, todo.b && `by ${todo.b}`, todo.v ? "validated" : !todo.s && "not validated"].filter(Boolean).join(", "),
      body: todo.m && " ", file: todo.f && { text: "Open the file", href: todo.f },
    });
    made.classList.add(lane.id.slice("lane-".length));
    for (const line of all("dl > div", made)) line.hidden = !one("dd", line)?.textContent.trim();
    if (todo.m) one(".body", made).replaceChildren(text(todo));
    return made;
  }

  function text(todo) {
    const body = all("template[data-body]").find((each) => each.dataset.body === todo.i);
    return body ? body.content.cloneNode(true) : "The text is in the file.";
  }

  function open(id) {
    const todo = byId.get(id);
    if (todo) {
      detail.replaceChildren(sheet(todo));
      if (!detail.open) detail.showModal();
      one("#detail-title").focus();
    } else if (detail.open) {
      detail.close();
    }
  }

  detail.addEventListener("close", () => {
    if (read().todo) go({ todo: "" });
  });
  detail.addEventListener("click", (event) => {
    if (event.target === detail) detail.close();
  });

  document.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    const link = event.target.closest("[data-todo], [data-view], .legend a");
    if (link?.dataset.todo && byId.has(link.dataset.todo)) {
      event.preventDefault();
      go({ todo: link.dataset.todo });
    } else if (link?.dataset.view) {
      event.preventDefault();
      go({ view: link.dataset.view });
    } else if (link?.matches(".legend a")) {
      event.preventDefault();
      go({ view: "board" });
      one(link.hash).scrollIntoView({ inline: "start", block: "nearest" });
    }
    const more = event.target.closest(".show-more");
    if (more) showMore(lanes.indexOf(more.closest(".lane")));
  });

  function showMore(number) {
    const before = all(".card-title", lanes[number]).length;
    limits[number] += PAGE;
    filterCards(read());
    all(".card-title", lanes[number])[before]?.focus();
  }

  fields.goal.addEventListener("change", () => restart({ goal: fields.goal.value }));
  fields.text.addEventListener("input", () => restart({ q: fields.text.value }, true));
  one(".filters").addEventListener("submit", (event) => event.preventDefault());

  function restart(changes, replaces = false) {
    limits = lanes.map(() => PAGE);
    go(changes, replaces);
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || detail.open) return;
    if (event.key === "/" && !event.target.matches("input, select, textarea")) {
      event.preventDefault();
      fields.text.select();
    } else if (event.key === "Escape" && event.target === fields.text) {
      fields.text.value = "";
      restart({ q: "" });
      fields.text.blur();
    } else if (event.key.startsWith("Arrow") && (event.target === document.body || event.target.matches(".card-title, main"))) {
      step(event);
    }
  });

  function step(event) {
    const columns = lanes.map((lane) => all(".card-title", lane));
    let column = columns.findIndex((cards) => cards.includes(event.target));
    let row = columns[column]?.indexOf(event.target) ?? -1;
    if (column < 0) [column, row] = [columns.findIndex((cards) => cards.length), 0];
    else if (event.key === "ArrowDown") row += 1;
    else if (event.key === "ArrowUp") row -= 1;
    else {
      const way = event.key === "ArrowRight" ? 1 : -1;
      do column += way;
      while (columns[column] && !columns[column].length);
    }
    const cards = columns[column];
    if (!cards || row < 0) return;
    event.preventDefault();
    cards[Math.min(row, cards.length - 1)].focus();
  }

  addEventListener("hashchange", show);
  addEventListener("popstate", show);
  document.documentElement.classList.add("live");
  // The page came with the first cards of every column.
  shown = JSON.stringify(["", [], limits]);
  show();
})();
