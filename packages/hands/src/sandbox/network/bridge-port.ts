/** The port of the proxy in the sandbox. The bridge takes another one where commands share a network. */
export const BRIDGE_PORT = 3128;

/** How Java programs use it: they ignore the usual variables. */
export const JAVA_PROXY = ['http', 'https'].map((scheme) => `-D${scheme}.proxyHost=127.0.0.1 -D${scheme}.proxyPort=${BRIDGE_PORT}`).join(' ');

/** The path of the bridge in the sandbox: `/tmp` is private there and exists everywhere. */
export const BRIDGE_FOLDER = '/tmp/.synapse-bridge';
/** The folder of the socket of the proxy in the sandbox, and the socket: the bridge has it among its words. */
export const PROXY_FOLDER = `${BRIDGE_FOLDER}/socket`;
export const PROXY_SOCKET = `${PROXY_FOLDER}/proxy.sock`;
