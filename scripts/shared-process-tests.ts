// Runs before each test file that shares its process with others: what it left changed of the process is put back.
import { afterAll } from 'vitest';
import { keepProcess } from './kept-process.ts';

afterAll(keepProcess());
