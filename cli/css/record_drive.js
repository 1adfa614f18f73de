// The object `page` of the scripts of `heddle css record --drive`: each method is a step that the command carries out in the recorded page.
(() => {
  const send = window.heddleStep, waiting = new Map();
  let count = 0;
  const step = (kind, ...values) => new Promise((done, failed) => {
    waiting.set(++count, {done, failed});
    send(JSON.stringify([count, kind, ...values]));
  });
  window.heddleAnswer = (number, error, value) => {
    const {done, failed} = waiting.get(number);
    waiting.delete(number);
    if (error) failed(new Error(error));
    else done(value);
  };
  window.heddlePage = {};
  for (const kind of ['goto', 'click', 'hover', 'type', 'press', 'wait', 'size', 'evaluate'])
    window.heddlePage[kind] = (...values) => step(kind, ...values);
})();
