/** Valid session names. They are part of a path. */
const SESSION = /^[\w][\w.-]{0,63}$/u;

/** Whether a text is a valid session name. */
export const isSessionName = (text: string): boolean => SESSION.test(text);
