/** Where a relay listens, and is looked for, unless another port is named. */
export const RELAY_PORT = 7412;
