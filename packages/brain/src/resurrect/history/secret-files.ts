/** Names of files that usually hold secrets; hands ask a person before they read one. */
const SECRET = /(?:^|\/)(?:\.env(?:\.[^/]+)?|[^/]+\.(?:pem|p12|pfx|key)|id_(?:rsa|dsa|ecdsa|ed25519))$/iu;
/** Templates are made to be read, and the public half of a key is public. */
const HARMLESS = /\.(?:example|sample|template|test|dist|pub)$/iu;

/** Whether a file usually holds secrets, by its name: it is neither searched nor advised to be committed. */
export function usuallyHoldsSecrets(path: string): boolean {
  return SECRET.test(path) && !HARMLESS.test(path);
}
