import { defaultStateFolder, secretMasksOf } from '@synapse/hands/internal';
import type { Output } from './output.ts';

/** The same output without the secrets of the user. Bytes for a program are a file, which stays as it is. */
export async function withoutSecrets(out: Output): Promise<Output> {
  const mask = await secretMasksOf(defaultStateFolder())();
  if (mask === undefined) return out;
  return {
    isTerminal: out.isTerminal,
    get columns() {
      return out.columns;
    },
    write: (text, ...rest) => out.write(mask.text(text), ...rest),
    ...(out.writeBytes === undefined
      ? {}
      : { writeBytes: (bytes) => (out.isTerminal ? out.write(mask.text(Buffer.from(bytes).toString())) : out.writeBytes?.(bytes)) }),
    show: (line) => out.show(mask.text(line)),
  };
}
