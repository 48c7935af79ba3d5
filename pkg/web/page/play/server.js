// The requests of the page, and the events from the server.

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function ask(method, path, body) {
  let response;
  try {
    response = await fetch(path, {
      method,
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new Refused(0, "The server does not answer. Is alamos play still running?");
  }
  if (response.ok) return response;
  let text = response.statusText;
  try {
    text = (await response.json()).error ?? text;
  } catch {
    // the answer is not from our server
  }
  throw new Refused(response.status, text);
}

export const getSetup = async () => (await ask("GET", "/api/setup")).json();
export const beginGame = async (game) => (await (await ask("POST", "/api/games", game)).json()).id;
export const getFiles = async () => (await ask("GET", "/api/files")).json();
export const listGames = async (source) => (await ask("POST", "/api/pgn", source)).json();
export const askGame = (id, what, body = {}) => ask("POST", `/api/games/${id}/${what}`, body);
export const pgnAddress = (id) => `/api/games/${id}/pgn`;
export const getPGN = async (id) => (await ask("GET", pgnAddress(id))).text();

// A browser allows few connections to a server from all its tabs: a hidden tab closes
// its own, and sends a request from time to time.
const hiddenFor = 5_000;
const stillHere = 50_000;

// watch follows a game until the function that it returns is called: hear(update) gets
// the changes, lost(error) gets the error of a failed connection (null: it is back).
export function watch(id, hear, lost) {
  let source = null;
  let timer = 0;

  function open() {
    clearTimeout(timer);
    if (source) return;
    source = new EventSource(`/api/games/${id}/events`);
    source.onmessage = (e) => {
      lost(null);
      hear(JSON.parse(e.data));
    };
    const mine = source;
    source.onerror = async () => {
      const ended = mine.readyState === EventSource.CLOSED;
      try {
        await askGame(id, "here");
      } catch (error) {
        if (source !== mine) return;
        lost(error);
        if (error.status === 404) return close();
      }
      if (ended && source === mine) {
        shut();
        timer = setTimeout(open, 2_000);
      }
    };
  }
  function shut() {
    source?.close();
    source = null;
  }
  function hide() {
    shut();
    const call = () => {
      askGame(id, "here").catch(() => {});
      timer = setTimeout(call, stillHere);
    };
    call();
  }
  function visibility() {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(hide, hiddenFor);
    else open();
  }
  function close() {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", visibility);
    removeEventListener("pagehide", shut);
    removeEventListener("pageshow", visibility);
    shut();
  }
  document.addEventListener("visibilitychange", visibility);
  // A page that was left may be kept, with its connection, for a way back to it.
  addEventListener("pagehide", shut);
  addEventListener("pageshow", visibility);
  open();
  return close;
}
