/* Reader of a Standard MIDI File: its notes, controllers and tempi, and their times. */

/** Events [seconds, status, first, second] and [seconds, 'tempo', quarter notes a minute] of a file's bytes, in order. */
export function midiEvents(bytes) {
    const view = new DataView(Uint8Array.from(bytes).buffer), events = [];
    if (view.byteLength < 14 || view.getUint32(0) !== 0x4d546864) throw new Error('no MIDI file');
    const division = view.getUint16(12);
    if (division & 0x8000) throw new Error('a MIDI file with frames of film is not read');
    for (let at = 8 + view.getUint32(4); at + 8 <= view.byteLength; at += 8 + view.getUint32(at + 4))
        if (view.getUint32(at) === 0x4d54726b) readTrack(view, at + 8, Math.min(view.byteLength, at + 8 + view.getUint32(at + 4)), events);
    events.sort((a, b) => a.tick - b.tick);
    let tempo = 500000, tick = 0, seconds = 0;
    return events.flatMap((event) => {
        seconds += (event.tick - tick) * tempo / division / 1e6;
        tick = event.tick;
        tempo = event.tempo ?? tempo;
        return [event.tempo ? [seconds, 'tempo', 6e7 / event.tempo] : [seconds, ...event.message]];
    });
}

function readTrack(view, at, end, events) {
    let tick = 0, status = 0;
    const number = () => {
        let value = 0, byte;
        do {
            byte = view.getUint8(at++);
            value = value << 7 | byte & 0x7f;
        } while (byte & 0x80);
        return value;
    };
    while (at < end) {
        tick += number();
        if (view.getUint8(at) & 0x80) status = view.getUint8(at++);
        if (status >= 0xf0) {
            const type = status === 0xff ? view.getUint8(at++) : 0, length = number();
            if (type === 0x51) events.push({ tick, tempo: view.getUint32(at - 1) & 0xffffff });
            at += length;
        } else {
            const first = view.getUint8(at++), hasTwo = (status & 0xe0) !== 0xc0;
            events.push({ tick, message: [status, first, hasTwo ? view.getUint8(at++) : 0] });
        }
    }
}
