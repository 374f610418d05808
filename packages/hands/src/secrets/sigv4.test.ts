import { describe, expect, it } from 'vitest';
import { isSignedBy, parseSignature, payloadHash, signedAgain, type SignedRequest } from './sigv4.ts';

const EMPTY = payloadHash(Buffer.alloc(0));
const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';

/** A signature of another key, whose parts are kept. */
function given(scope: string, signedHeaders: string) {
  const found = parseSignature(
    `AWS4-HMAC-SHA256 Credential=AKIDOTHER/${scope}/aws4_request, SignedHeaders=${signedHeaders}, Signature=${'0'.repeat(64)}`,
  );
  if (found === undefined) throw new Error('This is no signature.');
  return found;
}

// From the documentation of AWS: its test suite for version 4, the example of IAM, and the example of S3.
describe.each<readonly [string, SignedRequest, string, string, string, string]>([
  [
    'get-vanilla',
    { method: 'GET', path: '/', headers: { host: 'example.amazonaws.com', 'x-amz-date': '20150830T123600Z' } },
    '20150830/us-east-1/service',
    'host;x-amz-date',
    SECRET,
    '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  ],
  [
    'ListUsers',
    {
      method: 'GET',
      path: '/?Version=2010-05-08&Action=ListUsers',
      headers: {
        host: 'iam.amazonaws.com',
        'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
        'x-amz-date': '20150830T123600Z',
      },
    },
    '20150830/us-east-1/iam',
    'content-type;host;x-amz-date',
    SECRET,
    '5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
  ],
  [
    'GET Object',
    {
      method: 'GET',
      path: '/test.txt',
      headers: { host: 'examplebucket.s3.amazonaws.com', range: 'bytes=0-9', 'x-amz-content-sha256': EMPTY, 'x-amz-date': '20130524T000000Z' },
    },
    '20130524/us-east-1/s3',
    'host;range;x-amz-content-sha256;x-amz-date',
    'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ],
])('%s', (_, request, scope, signedHeaders, secret, signature) => {
  const key = { id: 'AKIDEXAMPLE', secret };
  const header = `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/${scope}/aws4_request, SignedHeaders=${signedHeaders}, Signature=${signature}`;

  it('is signed as documented', () => {
    expect(signedAgain(request, given(scope, signedHeaders), key, EMPTY)).toBe(header);
  });

  it('is known by its key, and by no other request, body or key', () => {
    const signed = parseSignature(header);
    if (signed === undefined) throw new Error('This is no signature.');
    expect(isSignedBy(request, signed, key, EMPTY)).toBe(true);
    expect(isSignedBy({ ...request, method: 'DELETE' }, signed, key, EMPTY)).toBe(false);
    expect(isSignedBy({ ...request, path: `${request.path}x` }, signed, key, EMPTY)).toBe(false);
    expect(isSignedBy({ ...request, headers: { ...request.headers, host: 'evil.example.com' } }, signed, key, EMPTY)).toBe(false);
    expect(isSignedBy(request, signed, key, payloadHash(Buffer.from('x')))).toBe(false);
    expect(isSignedBy(request, signed, { ...key, secret: `${secret}x` }, EMPTY)).toBe(false);
    expect(isSignedBy(request, signed, { ...key, id: 'AKIDOTHER' }, EMPTY)).toBe(false);
  });
});

// As botocore 1.44 signs them.
it.each([
  ['?Filter.1=a&Filter.10=b&Filter.1.Value=c&Action=X', 'e2f9b73b5869edc9818c054b72e57ae340dcc9ea12f788111040dab9464951c2'],
  ['?x=b&x=a&x-y=1&x=', '7b7fe265681ea0d6461cb830383692fc5c576a9cd765131899350c6e6b92f657'],
])('parameters are in the order of their names: %s', (query, signature) => {
  const request = { method: 'GET', path: `/${query}`, headers: { host: 'example.amazonaws.com', 'x-amz-date': '20150830T123600Z' } };
  const again = signedAgain(request, given('20150830/us-east-1/ec2', 'host;x-amz-date'), { id: 'AKIDEXAMPLE', secret: SECRET }, EMPTY);
  expect(again).toContain(`Signature=${signature}`);
});

it.each([
  ['%e4', '%E4', '%25E4'],
  ['%zz', '%25zz', '%ZZ'],
  ['%', '%25', '%2525'],
  ['%e4%61', '%E4%61', '%25E4a'],
])('a parameter that is no text is signed as it is sent: %s as %s, and not as %s', (value, same, other) => {
  const signature = (text: string): string | undefined => {
    const request = { method: 'GET', path: `/?prefix=${text}`, headers: { host: 'example.amazonaws.com', 'x-amz-date': '20150830T123600Z' } };
    return signedAgain(request, given('20150830/us-east-1/s3', 'host;x-amz-date'), { id: 'AKIDEXAMPLE', secret: SECRET }, EMPTY);
  };
  expect(signature(value)).toMatch(/Signature=[\da-f]{64}$/u);
  expect(signature(value)).toBe(signature(same));
  expect(signature(value)).not.toBe(signature(other));
});

it.each(['Bearer x', 'AWS4-HMAC-SHA256 Credential=a/b', ''])('%j is no signature', (text) => expect(parseSignature(text)).toBeUndefined());

it('a request without what its signature covers, or without its host, is not signed', () => {
  const request = { method: 'GET', path: '/', headers: { host: 'example.amazonaws.com', 'x-amz-date': '20150830T123600Z' } };
  const key = { id: 'AKIDEXAMPLE', secret: SECRET };
  for (const names of ['host;x-amz-date;x-other', 'x-amz-date'])
    expect(signedAgain(request, given('20150830/us-east-1/service', names), key, EMPTY)).toBeUndefined();
  expect(signedAgain(request, given('20150831/us-east-1/service', 'host;x-amz-date'), key, EMPTY)).toBeUndefined();
});
