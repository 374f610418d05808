import { describe, expect, it } from 'vitest';
import { beginExchange, exchangedKey, generatorOf, multiply, type SharedInput } from './cpace.ts';
import { mapToCurve } from './elligator.ts';

const bytes = (hex: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(hex, 'hex'));
const hex = (given: Uint8Array | undefined): string | undefined => given && Buffer.from(given).toString('hex');
const latin = (text: string): Uint8Array => Buffer.from(text, 'latin1');
/** The number of a point or a field element as bytes, which are in the other order. */
const little = (number: string): Uint8Array<ArrayBuffer> => bytes(number).toReversed();

/** A private key in PKCS #8 (RFC 8410). */
const scalar = async (key: string) =>
  await crypto.subtle.importKey('pkcs8', bytes(`302e020100300506032b656e04220420${key}`), { name: 'X25519' }, false, ['deriveBits']);

describe('mapToCurve', () => {
  // RFC 9380, J.4.2: field elements, and the u coordinates of the points that they map to.
  it.each([
    ['608d892b641f0328523802a6603427c26e55e6f27e71a91a478148d45b5093cd', '51125222da5e763d97f3c10fcc92ea6860b9ccbbd2eb1285728f566721c1e65b'],
    ['46f5b22494bfeaa7f232cc8d054be68561af50230234d7d1d63d1d9abeca8da5', '7d56d1e08cb0ccb92baf069c18c49bb5a0dcd927eff8dcf75ca921ef7f3e6eeb'],
    ['235fe40c443766ce7e18111c33862d66c3b33267efa50d50f9e8e5d252a40aaa', '3fbe66b9c9883d79e8407150e7c2a1c8680bee496c62fabe4619a72b3cabe90f'],
    ['001e92a544463bda9bd04ddbe3d6eed248f82de32f522669efc5ddce95f46f5b', '227e0bb89de700385d19ec40e857db6e6a3e634b1c32962f370d26f84ff19683'],
    ['1a68a1af9f663592291af987203393f707305c7bac9c8d63d6a729bdc553dc19', '3bcd651ee54d5f7b6013898aab251ee8ecc0688166fce6e9548d38472f6bd196'],
  ])('is Elligator 2: %s', (field, point) => {
    expect(hex(mapToCurve(little(field)))).toBe(hex(little(point)));
  });

  it('ignores the highest bit, and takes zero', () => {
    const [low, high] = [new Uint8Array(32).fill(7), new Uint8Array(32).fill(7)];
    high[31] = 0x87;
    expect(hex(mapToCurve(high))).toBe(hex(mapToCurve(low)));
    expect(hex(mapToCurve(new Uint8Array(32)))).toMatch(/^[\da-f]{64}$/u);
  });
});

// draft-irtf-cfrg-cpace, appendix B.1.
const INPUT: SharedInput = {
  password: latin('Password'),
  context: latin('\u000bA_initiator\u000bB_responder'),
  session: bytes('7e4b4791d6a8ef019b936c79fb7f2c57'),
};
const POINTS = {
  generator: 'd04bf6d41f6a289632a2e929fa29bebd51092512a7829fdde7d314b62f05a73f',
  first: {
    key: '21b4f4bd9e64ed355c3eb676a28ebedaf6d8f17bdc365995b319097153044080',
    share: '1d13c89278cdadd826f6d8d7f887701430f8380ddc17611cdd6dc989ce0c9f32',
  },
  second: {
    key: '848b0779ff415f0af4ea14df9dd1d3c29ac41d836c7808896c4eba19c51ac40a',
    share: '248cccf6d5cdc3646f0ad593f9e6cef4e69d4945f8372e623512ecea32185623',
  },
  product: '5b067effbdc0b2a0e1d907b21ebb25cfedb96a852179a847c37e43ee71322c6b',
};

describe('the suite', () => {
  it('has the values of its draft', async () => {
    const { first, second, product } = POINTS;
    const generator = await generatorOf(INPUT);
    expect(hex(generator)).toBe(POINTS.generator);
    for (const [own, other] of [
      [first, second],
      [second, first],
    ] as const) {
      expect(hex(await multiply(await scalar(own.key), generator))).toBe(own.share);
      expect(hex(await multiply(await scalar(own.key), bytes(other.share)))).toBe(product);
    }
    const transcript = {
      first: { share: bytes(first.share), data: latin('ADa') },
      second: { share: bytes(second.share), data: latin('ADb') },
    };
    expect(hex(await exchangedKey(INPUT, bytes(product), transcript))).toBe(
      '6e19b875f7a561d6b3ca3dbb9ef42ac55de3e717881018204b8922b4d5e53bb2aa82c300bea7b65d2b671da71922ddf6472301b79bc270adfa8bf413285f2263',
    );
  });

  // The same appendix: points of low order, also in other forms.
  it.each([
    '0000000000000000000000000000000000000000000000000000000000000000',
    '0100000000000000000000000000000000000000000000000000000000000000',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
    '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
    'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    '',
    '09',
    '09'.repeat(33),
  ])('takes no share %s', async (share) => {
    const exchange = await beginExchange('first', INPUT);
    expect(await exchange.agree(bytes(share))).toBeUndefined();
  });

  it.each([
    ['daffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff', 'd8e2c776bbacd510d09fd9278b7edcd25fc5ae9adfba3b6e040e8d3b71b21806'],
    ['cdeb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b880', 'e062dcd5376d58297be2618c7498f55baa07d7e03184e8aada20bca28888bf7a'],
  ])('clears the highest bit of %s', async (point, product) => {
    const key = await scalar('af46e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449aff');
    expect(hex(await multiply(key, bytes(point)))).toBe(product);
  });
});

describe('beginExchange', () => {
  const agreed = async (here: SharedInput, there: SharedInput): Promise<readonly (string | undefined)[]> => {
    const [first, second] = await Promise.all([beginExchange('first', here), beginExchange('second', there)]);
    return [hex(await first.agree(second.share)), hex(await second.agree(first.share))];
  };

  it('gives both sides one key, another one each time', async () => {
    const [[one, other], [later]] = await Promise.all([agreed(INPUT, INPUT), agreed(INPUT, INPUT)]);
    expect(one).toMatch(/^[\da-f]{128}$/u);
    expect([other, later]).toEqual([one, expect.not.stringMatching(String(one)) as string]);
  });

  it.each(['password', 'context', 'session'] as const)('gives them different ones with another %s', async (part) => {
    const [one, other] = await agreed(INPUT, { ...INPUT, [part]: latin('another') });
    expect([one, other]).toEqual([expect.any(String), expect.any(String)]);
    expect(one).not.toBe(other);
  });

  it('uses a share once', async () => {
    const [first, second] = await Promise.all([beginExchange('first', INPUT), beginExchange('second', INPUT)]);
    expect(await first.agree(second.share)).toBeInstanceOf(Uint8Array);
    expect(await first.agree(second.share)).toBeUndefined();
  });
});
