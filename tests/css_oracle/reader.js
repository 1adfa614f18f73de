// What a reader can do to a page, and computed styles of its elements: for reader.py.
(() => {
    // Pseudo-elements that the sheets name, besides these two.
    let pseudos = ['::before', '::after'];
    const all = (root, found = []) => {
        for (const e of root.querySelectorAll('*')) {
            found.push(e);
            if (e.shadowRoot) all(e.shadowRoot, found);
        }
        return found;
    };
    // Each combination of an element and a pseudo-element, in document order, with its style.
    const styles = function* () {
        for (const e of all(document)) {
            const own = getComputedStyle(e);
            yield [e, '', own];
            for (const pseudo of pseudos) {
                const style = getComputedStyle(e, pseudo);
                const absent = (pseudo === '::before' || pseudo === '::after') && style.content === 'none' ||
                    pseudo === '::marker' && own.display !== 'list-item' ||
                    pseudo === '::backdrop' && !e.matches(':modal, :popover-open, :fullscreen');
                if (!absent) yield [e, pseudo, style];
            }
        }
    };
    // Without logical properties, which repeat physical ones, and custom ones.
    const properties = [...getComputedStyle(document.documentElement)].filter(p => !/^--|-(block|inline)-|^(block|inline)-size$/.test(p)).sort();
    const text = style => properties.map(p => style.getPropertyValue(p)).join('\n');
    const hash = text => {
        let h = 5381;
        for (let i = 0; i < text.length; i++) h = Math.imul(h, 33) ^ text.charCodeAt(i);
        return h;
    };
    const name = e => e.localName + (e.id ? '#' + e.id : '') + [...e.classList].map(c => '.' + c).join('');
    const path = e => e ? (path(e.parentElement) + ' > ' + name(e)).split(' > ').slice(-4).join(' > ') : '';
    // Ends transitions, and stops animations in their middle.
    const settle = () => {
        for (let round = 0; round < 20; round++) {
            let transitions = 0;
            for (const a of document.getAnimations()) {
                if (a instanceof CSSTransition) { a.finish(); transitions++; continue; }
                const timing = a.effect.getComputedTiming();
                a.pause();
                const middle = timing.delay + (timing.duration || 0) / 2;
                if (Number.isFinite(middle)) a.currentTime = middle;
            }
            if (!transitions) break;
        }
    };
    // The controls of a kind: those of a group (radio buttons, details of a name) are used by turns.
    const turns = (selector, group, use) => {
        const seen = new Map();
        return all(document).filter(e => e.matches(selector)).map(e => {
            const key = group(e), turn = key ? seen.get(key) || 0 : 0;
            if (key) seen.set(key, turn + 1);
            return { turn, use: () => use(e) };
        });
    };
    const groups = {
        boxes: () => turns('input:is([type=checkbox i], [type=radio i])', e => e.type === 'radio' && e.name && [e.form && all(document).indexOf(e.form), e.name].join(),
            e => e.click()),
        details: () => turns('details', e => e.name, e => { e.open = !e.open; }),
        selects: () => turns('option', e => e.closest('select') && 'select' + all(document).indexOf(e.closest('select')), e => {
            const select = e.closest('select');
            if (!select || select.disabled || e.disabled || e.closest('optgroup')?.disabled) return;
            if (select.multiple) e.selected = !e.selected; else select.value = e.value, e.selected = true;
        }),
        buttons: () => turns('button:is([command], [popovertarget]), input[popovertarget]', () => 'button', e => e.click()),
    };
    window.reader = {
        expect: text => {
            pseudos = pseudos.concat(['marker', 'first-line', 'first-letter', 'selection', 'backdrop'].filter(p => text.includes(':' + p)).map(p => '::' + p));
        },
        count: kind => 1 + Math.max(-1, ...groups[kind]().map(c => c.turn)),
        use: (kind, turn) => groups[kind]().filter(c => c.turn === turn).forEach(c => c.use()),
        fields: () => all(document).map((e, i) => [e, i]).filter(([e]) => e.matches('textarea, input, [contenteditable]') && !e.disabled && !e.readOnly &&
            !/checkbox|radio|button|submit|reset|image|file|hidden/.test(e.type)).map(([e, i]) => ({ index: i, type: e.type || 'text' })),
        focus: index => {
            const e = all(document)[index];
            e.focus();
            e.select?.();
            return e.getRootNode().activeElement === e;
        },
        // Types that have no text are set; the rest is typed by the browser.
        set: (index, value) => { const e = all(document)[index]; e.value = value; e.dispatchEvent(new Event('input')); },
        // Closes dialogs and popovers.
        close: () => {
            for (const e of all(document)) {
                if (e.matches('dialog[open]')) e.close();
                if (e.matches(':popover-open')) e.hidePopover();
            }
        },
        blur: () => document.activeElement?.blur(),
        hashes: () => { settle(); return [...styles()].map(([, , style]) => hash(text(style))); },
        difference: (index) => {
            settle();
            const [e, pseudo, style] = [...styles()][index] || [];
            return e && { path: path(e) + pseudo, style: Object.fromEntries(properties.map(p => [p, style.getPropertyValue(p)])) };
        },
    };
})();
