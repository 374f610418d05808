import type { Program } from '../program.ts';

/** Programs that connect to other machines. */
export const programs: readonly Program[] = [
  { names: 'ping dig nslookup host whois telnet ftp sftp scp traceroute', network: true },
  { names: 'ssh mosh rsync nc ncat netcat socat', runs: 'elsewhere' },
];
