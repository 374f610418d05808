import { describe, expect, it } from 'vitest';
import { Scrubber, scrubText, unseen } from './scrubber.ts';
import { answeredForms } from './secret-forms.ts';

const VALUE = 'tok/en+"1&2<3=secret';
const what = unseen([VALUE, 'other-value-9']);

function cleaned(text: string, size: number): string {
  const scrubber = new Scrubber(what);
  const bytes = Buffer.from(text);
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) parts.push(Buffer.from(scrubber.push(bytes.subarray(at, at + size))));
  return Buffer.concat([...parts, scrubber.end()]).toString();
}

describe.each([1, 2, 3, 7, 19, 1_000])('in chunks of %i bytes', (size) => {
  it.each(answeredForms(VALUE).map((form) => [form]))('takes out %s, and nothing else', (form) => {
    const text = `{"a": "${form}", "b": "${form.slice(0, -1)}!", "c": 1}`;
    const result = cleaned(text, size);
    expect(result).not.toContain(form);
    expect(result).toHaveLength(text.length);
    expect(result).toBe(text.replace(form, '*'.repeat(form.length)));
  });

  it('leaves other bytes as they are, and the beginning of a secret at the end', () => {
    const text = `${'x'.repeat(50)}tok/en${VALUE.slice(0, 9)}`;
    expect(cleaned(text, size)).toBe(text);
  });

  it('takes out two in a row, and one of several values', () => {
    expect(cleaned(`a${VALUE}${VALUE}other-value-9z`, size)).toBe(`a${'*'.repeat(2 * VALUE.length + 13)}z`);
  });
});

it('does not write into the memory of a chunk', () => {
  const chunk = Buffer.from(`a ${VALUE} b`);
  new Scrubber(what).push(chunk);
  expect(chunk.toString()).toBe(`a ${VALUE} b`);
});

it('takes a longer secret out whole, of which another is the beginning', () => {
  const both = unseen(['abcdefgh', 'abcdefghijklmnop']);
  for (const size of [1, 5, 9, 100]) {
    const scrubber = new Scrubber(both);
    const bytes = Buffer.from('-abcdefghijklmnop-abcdefgh-');
    let text = '';
    for (let at = 0; at < bytes.length; at += size) text += scrubber.push(bytes.subarray(at, at + size)).toString();
    expect(text + scrubber.end().toString()).toBe('-****************-********-');
  }
  expect(scrubText('-abcdefghijklmnop-', both)).toBe('-****************-');
});

it('does nothing without values', () => {
  const scrubber = new Scrubber(unseen([]));
  expect(scrubber.push(Buffer.from('abc')).toString()).toBe('abc');
});
