import { expect, it } from 'vitest';
import { decodeEntities } from './decode-entities.ts';

it('decodes the entities that it knows, and leaves others, also those with the name of an inherited property', () => {
  expect(decodeEntities('&lt;a&gt; &#65;&#x42; &toString; &valueOf; &unknown;')).toBe('<a> AB &toString; &valueOf; &unknown;');
});
