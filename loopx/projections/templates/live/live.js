"use strict";
(() => {
  const one = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  // --- the page follows the workspace: fetched again, and changed in place where it differs ---------------------

  let fetching = null;
  let isAskedAgain = false;

  async function refresh() {
    if (fetching) {
      isAskedAgain = true;
      return fetching;
    }
    fetching = take(location.pathname + location.search);
    try {
      await fetching;
    } finally {
      fetching = null;
      if (isAskedAgain) {
        isAskedAgain = false;
        refresh();
      }
    }
  }

  async function take(address) {
    let answer;
    try {
      answer = await fetch(address, { headers: { Accept: "text/html" }, cache: "no-store" });
    } catch {
      return;
    }
    if (answer.status === 401) return alive("lost", "signed out: run loopx web");
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!one("#main", fresh)) return;
    document.title = fresh.title;
    for (const part of ["#main", "#views", "#foot"]) morph(one(part), one(part, fresh));
  }

  // Every element that is still wanted stays itself, so focus, typed text, opened details and the place on the page
  // stay too. Only attributes and children that differ are touched.
  function morph(here, wanted) {
    if (here.isEqualNode(wanted) || here.matches("[data-keep]")) return;
    attributes(here, wanted);
    if (!here.matches("textarea")) children(here, wanted);
  }

  function attributes(here, wanted) {
    for (const { name } of [...here.attributes]) {
      if (!wanted.hasAttribute(name) && !(name === "open" && here.matches("details")) && name !== "aria-busy") here.removeAttribute(name);
    }
    for (const { name, value } of [...wanted.attributes]) {
      if (name === "open" && here.matches("details")) continue;
      if (name === "value" && here === document.activeElement) continue;
      if (here.getAttribute(name) !== value) here.setAttribute(name, value);
    }
  }

  const keyOf = (node) => (node.nodeType === 1 ? node.dataset.key || node.id || "" : "");
  const sortOf = (node) => (node.nodeType === 1 ? node.localName : "#text");

  function children(here, wanted) {
    const keyed = new Map();
    for (const each of here.childNodes) if (keyOf(each)) keyed.set(keyOf(each), each);
    let next = here.firstChild;
    for (const each of [...wanted.childNodes]) {
      const key = keyOf(each);
      let found = key ? keyed.get(key) : null;
      if (found && sortOf(found) !== sortOf(each)) found = null;
      if (!found && !key) {
        let near = next;
        while (near && (keyOf(near) || sortOf(near) !== sortOf(each))) near = near.nextSibling;
        found = near;
      }
      if (!found) {
        const made = document.importNode(each, true);
        here.insertBefore(made, next);
        if (made.nodeType === 1 && key && isStarted) made.classList.add("fresh");
        continue;
      }
      if (found !== next) here.insertBefore(found, next);
      next = found.nextSibling;
      if (found.nodeType === 1) morph(found, each);
      else if (found.data !== each.data) found.data = each.data;
    }
    while (next) {
      const after = next.nextSibling;
      drop(next);
      next = after;
    }
  }

  // What holds typed text or the focus is not taken away under the reader's hands.
  function drop(node) {
    if (node.nodeType === 1 && holdsWork(node)) node.classList.add("gone");
    else node.remove();
  }

  function holdsWork(node) {
    const fields = all("input:not([type=hidden]), textarea, select", node);
    if (fields.includes(document.activeElement)) return true;
    return fields.some((field) => (field.type === "checkbox" || field.type === "radio" ? field.checked !== field.defaultChecked
      : field.matches("select") ? false : field.value !== field.defaultValue)) || all(".said[data-bad]", node).length > 0;
  }

  // --- what happens -------------------------------------------------------------------------------------------

  let isStarted = false;
  let soon = 0;

  function alive(state, text) {
    const shown = one("#alive");
    if (!shown || shown.dataset.state === state) return;
    shown.dataset.state = state;
    one(".alive-text", shown).textContent = text;
  }

  // A browser keeps few connections to one server, so only a page that is looked at listens.
  let source = null;

  function listen() {
    if (source || document.hidden) return;
    source = new EventSource("/events");
    source.addEventListener("open", async () => {
      alive("live", "live");
      await refresh();
      isStarted = true;
    });
    source.addEventListener("error", () => {
      alive("lost", "connection lost");
      if (source?.readyState === EventSource.CLOSED) again(3000);
    });
    source.addEventListener("happening", (event) => {
      const told = JSON.parse(event.data);
      if (told.kind === "pages") return;
      clearTimeout(soon);
      soon = setTimeout(refresh, 60);
      if (told.text && told.kind !== "due" && !own.has(told.revision)) say(told.text, told.kind, told.revision);
    });
    source.addEventListener("end", () => {
      again(5000);
      alive("lost", "stopped: run loopx web");
    });
  }

  function again(later) {
    source?.close();
    source = null;
    if (later) setTimeout(listen, later);
  }

  document.addEventListener("visibilitychange", () => (document.hidden ? again(0) : listen()));

  const own = new Set();

  function say(text, kind, revision = "") {
    const line = document.createElement("p");
    line.className = kind;
    line.dataset.revision = revision || "";
    line.addEventListener("click", () => line.remove());
    line.dir = "auto";
    line.textContent = text.length > 300 ? text.slice(0, 299) + "…" : text;
    const box = one("#heard");
    box.append(line);
    while (box.children.length > 3) box.firstChild.remove();
    setTimeout(() => line.remove(), 8000);
  }

  // --- forms ------------------------------------------------------------------------------------------------

  // An id for each thing that is asked, kept until it is answered: asked again after a lost answer, it runs once.
  const asked = new WeakMap();

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.matches("form.act")) return;
    event.preventDefault();
    if (form.getAttribute("aria-busy") === "true") return;
    send(form, event.submitter);
  });

  async function send(form, button) {
    const fields = new URLSearchParams(new FormData(form, button));
    const same = fields.toString();
    const before = asked.get(form);
    const operation = before?.same === same ? before.operation : "op-page-" + random();
    asked.set(form, { same, operation });
    fields.set("op", operation);
    form.setAttribute("aria-busy", "true");
    let told;
    try {
      const answer = await fetch(form.action, { method: "POST", body: fields, headers: { Accept: "application/json" } });
      told = await answer.json();
    } catch {
      told = { ok: false, code: "outcome-unknown", message: "No answer came. What you typed is still here.", hint: "Send it again: it is carried out once, whatever became of the first try." };
    }
    form.removeAttribute("aria-busy");
    if (told.code !== "outcome-unknown") asked.delete(form);
    if (told.ok) accepted(form, told);
    else show(form, told);
  }

  const random = () => [...crypto.getRandomValues(new Uint8Array(8))].map((each) => each.toString(36).padStart(2, "0")).join("");

  function accepted(form, told) {
    show(form, told);
    if (told.revision) {
      own.add(told.revision);
      for (const each of all("#heard p")) if (each.dataset.revision === told.revision) each.remove();
    }
    say(told.text, "accepted");
    for (const each of told.warnings) say(each.message, "refused");
    const isHere = form.contains(document.activeElement);
    form.reset();
    if (form.matches("[data-clears]")) one("input:not([type=hidden])", form)?.focus();
    else if (isHere) one("#main").focus({ preventScroll: true });
    if (form.dataset.leaves) setTimeout(() => location.assign(form.dataset.leaves), 1200);
    else refresh();
  }

  function show(form, told) {
    const box = one(".said", form);
    if (!box) return;
    box.replaceChildren();
    box.toggleAttribute("data-bad", !told.ok);
    const add = (text, tag = "p") => {
      const line = document.createElement(tag);
      line.dir = "auto";
      line.textContent = text;
      box.append(line);
      return line;
    };
    if (told.ok) {
      const line = add(told.text);
      if (told.revision) {
        const link = document.createElement("a");
        link.href = "/commit/" + told.revision;
        link.textContent = told.revision.slice(0, 10);
        line.append(" · ", link);
      }
      return;
    }
    add(told.message);
    if (told.hint) add(told.hint);
    add("").append(Object.assign(document.createElement("code"), { textContent: told.code + (told.place ? " · " + told.place : "") }));
  }

  // --- the board narrows as one types -------------------------------------------------------------------------

  let typing = 0;
  document.addEventListener("input", (event) => {
    const form = event.target.form;
    if (!form?.matches("[data-live]")) return;
    clearTimeout(typing);
    typing = setTimeout(() => {
      const fields = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
      history.replaceState(null, "", form.getAttribute("action") + (fields.size ? "?" + fields : ""));
      refresh();
    }, 150);
  });
  document.addEventListener("submit", (event) => {
    if (event.target.matches("[data-live]")) event.preventDefault();
  });

  // --- keys -------------------------------------------------------------------------------------------------

  const PLACES = { o: "overview", b: "board", g: "goals", a: "gates", d: "decisions", t: "timeline", p: "problems" };
  let isGoing = false;

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("input, select, textarea")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const place = isGoing && PLACES[event.key];
    isGoing = !isGoing && event.key === "g";
    if (place) {
      event.preventDefault();
      one("#nav-" + place).click();
    } else if (event.key === "/" && one("#filter")) {
      event.preventDefault();
      one("#filter").select();
    } else if (event.key === "/") {
      event.preventDefault();
      location.assign("/board");
    } else if (event.key === "j" || event.key === "k") {
      step(event.key === "j" ? 1 : -1);
    }
  });

  function step(way) {
    const stops = all("main .question a, main .line-title a, main .card-title, main .entry .revision").filter((each) => each.offsetParent);
    const at = stops.indexOf(document.activeElement);
    const next = at < 0 ? (way > 0 ? 0 : stops.length - 1) : at + way;
    stops[next]?.focus();
  }

  const open = one("#views [aria-current]");
  if (open) open.parentElement.scrollLeft = open.offsetLeft - open.parentElement.offsetLeft - 60;
  listen();
})();
