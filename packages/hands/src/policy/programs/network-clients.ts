import type { Program } from '../program.ts';

/** Programs that connect to other machines. */
export const programs: readonly Program[] = [
  { names: 'ping dig nslookup host whois telnet ftp traceroute', network: true },
  // Their options can name a command that runs here.
  { names: 'sftp scp', network: true, runs: 'elsewhere' },
  { names: 'ssh mosh rsync nc ncat netcat socat', runs: 'elsewhere' },
];
