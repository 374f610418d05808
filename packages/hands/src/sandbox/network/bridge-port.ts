/** The port of the proxy in the sandbox. The bridge takes another one where commands share a network. */
export const BRIDGE_PORT = 3128;

/** How Java programs use it: they ignore the usual variables. */
export const JAVA_PROXY = ['http', 'https'].map((scheme) => `-D${scheme}.proxyHost=127.0.0.1 -D${scheme}.proxyPort=${BRIDGE_PORT}`).join(' ');
