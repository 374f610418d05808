import type { Output } from './output.ts';
import { printJson } from './print-json.ts';

/** A port of this machine that leads to one of a job. */
interface ToldPort {
  readonly job: string;
  readonly jobPort: number;
  readonly port: number;
}

/** Prints the address of a forwarded port. */
export function tellPort({ job, jobPort, port }: ToldPort, asJson: boolean, { out }: { readonly out: Output }): void {
  const url = `http://127.0.0.1:${port}/`;
  if (asJson) printJson(out, { url, port, job, job_port: jobPort });
  else out.write(`${url}\n`);
}
