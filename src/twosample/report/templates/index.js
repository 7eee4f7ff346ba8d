"use strict";
(() => {
  const table = document.querySelector("table.columns"), tools = document.querySelector(".tools");
  const groups = [...table.querySelectorAll("tbody.column")];
  const cards = new Map([...document.querySelectorAll("details.card")].map((card) => [card.dataset.order, card]));
  const search = tools.querySelector("input"), count = tools.querySelector("output");
  const chips = [...tools.querySelectorAll("button[data-verdict]")], heads = [...table.querySelectorAll("button[data-sort]")];
  const fold = document.querySelector("button.fold");
  let sorted = "order", down = false;

  const value = (group, key) => key === "name" ? group.dataset.name : Number(group.dataset[key]);
  const compare = (a, b) => {
    const [x, y] = [value(a, sorted), value(b, sorted)];
    const order = typeof x === "string" ? x.localeCompare(y, undefined, { numeric: true }) : x - y;
    return (down ? -order : order) || a.dataset.order - b.dataset.order;
  };
  const arrange = () => {
    for (const group of [...groups].sort(compare)) {
      table.append(group);
      const card = cards.get(group.dataset.order);
      if (card) card.parentNode.append(card);
    }
    for (const head of heads) {
      const own = head.dataset.sort === sorted;
      head.closest("th").setAttribute("aria-sort", own ? (down ? "descending" : "ascending") : "none");
    }
  };
  const choose = () => {
    const wanted = search.value.trim().toLowerCase();
    const verdicts = chips.filter((chip) => chip.getAttribute("aria-pressed") === "true").map((chip) => chip.dataset.verdict);
    let shown = 0;
    for (const group of groups) {
      const fits = group.dataset.name.includes(wanted) && (!verdicts.length || verdicts.includes(group.dataset.verdict));
      group.hidden = !fits;
      const card = cards.get(group.dataset.order);
      if (card) card.hidden = !fits;
      shown += fits;
    }
    count.textContent = shown === groups.length ? "" : `${shown} of ${groups.length} shown`;
  };
  search.addEventListener("input", choose);
  for (const chip of chips) {
    chip.addEventListener("click", () => {
      chip.setAttribute("aria-pressed", chip.getAttribute("aria-pressed") === "true" ? "false" : "true");
      choose();
    });
  }
  for (const head of heads) {
    head.disabled = false;
    head.addEventListener("click", () => {
      const key = head.dataset.sort;
      [sorted, down] = sorted !== key ? [key, key === "effect"] : down === (key === "effect") ? [key, !down] : ["order", false];
      arrange();
    });
  }
  const open = () => {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    const card = target && target.closest("details");
    if (card) { card.open = true; target.scrollIntoView(); }
  };
  window.addEventListener("hashchange", open);
  open();
  if (fold) {
    const all = [...cards.values()], folded = () => all.some((card) => !card.open);
    const say = () => { fold.textContent = folded() ? "Unfold all" : "Fold all"; };
    fold.hidden = false;
    fold.addEventListener("click", () => {
      const wanted = folded();
      for (const card of all) card.open = wanted;
      say();
    });
    say();
  }
  tools.hidden = false;
})();
