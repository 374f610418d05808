/** Returns for how many milliseconds this process has computed. Unlike a clock, it stands still while other processes have the cores. */
export function computedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
