// Runs before each test file that shares its process with others: what it left changed of the process is put back.
import { afterAll } from 'vitest';

const before = { folder: process.cwd(), environment: { ...process.env } };

afterAll(() => {
  process.chdir(before.folder);
  for (const name of Object.keys(process.env)) if (!(name in before.environment)) delete process.env[name];
  Object.assign(process.env, before.environment);
});
