(function () {
  var plan = JSON.parse(document.getElementById("plan").textContent);
  var slider = document.getElementById("epsilon"), rows = document.getElementById("plan-rows");
  function make(tag, text, name) {
    var node = document.createElement(tag);
    if (text) { node.textContent = text; }
    if (name) { node.className = name; }
    return node;
  }
  function bar(accuracy) {
    var all = make("div", "", "bar"), range = make("i"), middle = make("b");
    range.style.left = 100 * accuracy.low + "%";
    range.style.width = 100 * (accuracy.high - accuracy.low) + "%";
    middle.style.left = 100 * accuracy.expected + "%";
    all.append(range, middle);
    return all;
  }
  function crowd(found) {
    var all = make("div", "", "crowd");
    all.setAttribute("role", "img");
    all.setAttribute("aria-label", found + " of 100");
    for (var at = 0; at < 100; at++) { all.append(make("i", "", at < found ? "found" : "")); }
    return all;
  }
  function show() {
    var at = Number(slider.value), worst = null;
    document.getElementById("epsilon-now").textContent = plan.epsilons[at];
    rows.textContent = "";
    plan.methods.forEach(function (method) {
      var point = method.points[method.free ? 0 : at], row = make("tr");
      var name = make("th", method.name), score = make("td", point.words, "number"), found = make("td");
      name.scope = "row";
      score.append(bar(point.accuracy));
      if (method.free) { found.textContent = "nothing: no private data is used"; }
      else { found.append(String(point.found), crowd(point.found)); if (!worst || point.found > worst.found) { worst = point; } }
      row.append(name, score, found);
      rows.append(row);
    });
    if (worst) {
      var told = worst.curve.map(function (one) {
        return "wrong about " + 1000 * one.wrong + " of 1000: at most " + Math.ceil(1000 * one.found - 1e-6) + " of 1000 found";
      });
      document.getElementById("plan-attacker").textContent = "The attacker's choice (" + worst.about + "): " + told.join("; ") + ".";
    }
  }
  slider.max = plan.epsilons.length - 1;
  slider.value = plan.start;
  plan.epsilons.forEach(function (epsilon, at) {
    var option = make("option");
    option.value = at;
    option.label = String(epsilon);
    document.getElementById("epsilons").append(option);
  });
  slider.addEventListener("input", show);
  document.getElementById("slider").hidden = false;
  show();
})();
