/* Requests of a page to the command that serves it. The address that the command prints has the token behind its #. */
export const token = location.hash.slice(1);

async function answerOf(name, body) {
    const headers = { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
    const answer = await fetch(`/api/${name}`, { method: body === undefined ? 'GET' : 'POST', headers, body, cache: 'no-store' });
    if (!answer.ok) throw new Error((await answer.text()).trim());
    return answer;
}

/** The answer to GET, or with a body to POST, as a value. Throws with the command's words; a TypeError if the command has ended. */
export const call = async (name, body) => (await answerOf(name, body)).json();

/** The answer to POST as an ArrayBuffer. */
export const bytes = async (name, body) => (await answerOf(`bytes/${name}`, body)).arrayBuffer();
