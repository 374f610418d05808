import { describe, expect, it } from 'vitest';
import { nearest } from './nearest.ts';

const tools = ['read_file', 'write_file', 'edit_file', 'list_directory', 'run_command', 'git_status'];

describe('nearest', () => {
  it.each([
    ['raed_file', 'read_file'],
    ['readfile', 'read_file'],
    ['read-file', 'read_file'],
    ['ReadFile', 'read_file'],
    ['list_dir', 'list_directory'],
    ['gitstatus', 'git_status'],
    ['run', 'run_command'],
  ])('%s is meant as %s', (word, choice) => {
    expect(nearest(word, tools)[0]).toBe(choice);
  });

  it.each(['', 'zzzzzz', 'x'.repeat(10_000)])('suggests nothing for %.10j', (word) => {
    expect(nearest(word, tools)).toEqual([]);
  });

  it('suggests nothing for a short word of which most letters differ', () => {
    expect(nearest('foo', ['job'])).toEqual([]);
    expect(nearest('jop', ['job'])).toEqual(['job']);
  });
});
