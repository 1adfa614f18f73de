/* "Try it here": an engine in the page; nothing of it is loaded before the click. */
for (const button of document.querySelectorAll('button[data-live]'))
    button.addEventListener('click', () => {
        const frame = Object.assign(document.createElement('iframe'), { src: `${root}/${button.dataset.live}`, title: button.textContent, allow: 'autoplay; midi', className: 'live' });
        button.replaceWith(frame);
        frame.focus();
    });
