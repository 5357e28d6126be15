/** What people write by hand: policies, lists of identities, and the values of options. */
import fc from 'fast-check'
import { parseIdentities, parsePolicy } from 'varve/http'
import { evaluatePolicy } from '#http/policies/evaluate'
import { createIdentity } from '#http/access/identity-schema'
import { matchesWildcard } from '#http/policies/wildcard'
import { parseDuration, parseMoment, parsePort, parseSeq } from '#varve/cli/support/parse-values'
import { parseObjectUri, parseS3Uri, s3Uri } from '#varve/cli/support/s3-uri'
import { fuzz, must } from './fuzz.ts'
import { letters, near, repeated } from './mutate.ts'

const effect = fc.constantFrom('Allow', 'Deny')
const action = fc.constantFrom('s3:GetObject', 's3:*', '*', 's3:Get?bject')
const resource = fc.constantFrom('*', 'arn:aws:s3:::b/*', 'arn:aws:s3:::b/k?')
const statement = fc.record({
  Effect: effect,
  Action: fc.oneof(action, fc.array(action, { maxLength: 2 })),
  Resource: resource,
})
const policy = fc
  .record({ Version: fc.constantFrom('2012-10-17', '2008-10-17'), Statement: fc.array(statement, { maxLength: 3 }) })
  .map((document) => JSON.stringify(document))
const words = [
  '{',
  '}',
  '[',
  ']',
  '"',
  ',',
  ':',
  '"NotAction":',
  '"Condition":{}',
  '"Condition":{"StringLike":{"s3:prefix":["a*","${aws:username}"]}},',
  '"Condition":{"ForAnyValue:NumericLessThanIfExists":{"s3:max-keys":1}},',
  '"Condition":{"IpAddress":{"aws:SourceIp":"10.0.0.0/8"}},',
  '"Principal":"*"',
  '${aws:username}',
  '"__proto__":{"polluted":1},',
  '"constructor":{},',
  '"Sid":"a",',
  'null',
  'true',
  '1e400',
  '"*"',
  '\\ud800',
  '\\u0000',
]

/** Text that is no JSON is refused before any of this. */
function json(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

fuzz({
  name: 'policy',
  inputs: near(policy, words).map(json),
  parse: (document) => parsePolicy(document),
  check(parsed) {
    must(parsed.statements.length > 0, 'it says something')
    for (const action of ['s3:GetObject', 's3:PutObject'] as const) {
      const verdict = evaluatePolicy(parsed, { action, resource: { bucket: 'b', key: 'k1' }, keys: () => ['a'] })
      must(['allow', 'deny', 'implicit-deny'].includes(verdict), 'it decides')
    }
  },
  codes: ['InvalidArgument'],
  heavy: {
    ...repeated(['[', '{"a":', '"'], (text) => text),
    'a thousand long statements': () => ({
      Version: '2012-10-17',
      Statement: Array.from({ length: 1000 }, () => ({
        Effect: 'Allow',
        Action: 's3:*',
        Resource: `arn:aws:s3:::${'a*'.repeat(400)}`,
      })),
    }),
    'one deep value': () => json(`{"Statement":${'['.repeat(5000)}${']'.repeat(5000)}}`),
  },
})

const pattern = fc
  .array(fc.constantFrom('a', 'b', '/', '*', '?', '\u{1f600}', '.', '('), { maxLength: 10 })
  .map((all) => all.join(''))

fuzz({
  name: 'wildcard',
  inputs: fc.tuple(pattern, pattern),
  parse: ([wanted, text]) => matchesWildcard(wanted, text),
  check(matches, [wanted, text]) {
    const source = Array.from(wanted)
      .map((one) => (one === '*' ? '[^]*' : one === '?' ? '[^]' : one.replace(/[/.()]/, '\\$&')))
      .join('')
    must(matches === new RegExp(`^${source}$`, 'u').test(text), 'it matches as its words mean')
  },
  codes: [],
  heavy: {
    // A pattern has at most 2048 characters. A matched text is as long as a bucket and a key.
    'stars among one letter': () => ['a*'.repeat(1024), `${'a'.repeat(1090)}b`],
    'stars before a long end': () => [`*${'a'.repeat(1000)}b`, 'a'.repeat(1090)],
    'a long text': () => ['*a*b', 'a'.repeat(1e6)],
  },
})

const identity = fc
  .record({
    name: letters(5),
    accessKeyId: fc.constantFrom('AKID', 'AK2', 'A'),
    secretAccessKey: fc.constantFrom('a-very-secret-key', 'short'),
    root: fc.boolean(),
  })
  .map((fields) => JSON.stringify(fields))
const identities = fc.array(identity, { minLength: 1, maxLength: 3 }).map((all) => `{"identities":[${all.join(',')}]}`)

fuzz({
  name: 'list of identities',
  inputs: near(identities, [...words, '"policy":{"Statement":[]}', '"id":"x",', '"email":"a@b",']).map(json),
  parse: parseIdentities,
  check(parsed) {
    must(new Set(parsed.map(({ accessKeyId }) => accessKeyId)).size === parsed.length, 'keys are told apart')
    must(
      !JSON.stringify(parsed.map((one) => createIdentity(one))).includes('a-very-secret-key'),
      'secrets are not shown',
    )
  },
  codes: ['InvalidArgument'],
  heavy: {
    'five thousand': () => ({
      identities: Array.from({ length: 5000 }, (_, i) => ({
        name: `n${i}`,
        accessKeyId: `AK${i}`,
        secretAccessKey: 'a-very-secret-key',
      })),
    }),
    'long names': () => ({
      identities: [{ name: 'n'.repeat(1e6), accessKeyId: '@'.repeat(1e6), email: '@'.repeat(1e6) }],
    }),
  },
})

fuzz({
  name: 'value of an option',
  inputs: near(fc.constantFrom('0', '65535', '2026-08-01T12:00:00Z', '7d', '500ms', '2026-08-01'), [
    'T',
    'Z',
    'h',
    '+00:00',
    '.5',
  ]),
  parse: (text) =>
    [parseSeq, parseMoment, parsePort, parseDuration].map((parse) => {
      try {
        const value = parse(text)
        return typeof value === 'string' ? 0 : Number(value)
      } catch (error) {
        if ((error as { code?: unknown }).code === 'commander.invalidArgument') return 0
        throw error
      }
    }),
  check: (numbers) => must(numbers.every(Number.isSafeInteger), 'it is a whole number'),
  codes: [],
  heavy: repeated(['9', '2026-08-01T', ' ', 'm'], (text) => text),
})

fuzz({
  name: 's3:// address',
  inputs: near(
    letters(12).map((key) => `s3://bucket/${key}`),
    ['s3://', '/'],
  ),
  parse: (text) => parseS3Uri(text),
  check({ bucket, key }, text) {
    must(s3Uri(bucket, key) === text || `${s3Uri(bucket, key)}/` === text, 'nothing is decoded or lost')
    must(key === '' || parseObjectUri(text).key === key, 'it names the object')
  },
  codes: ['UsageError'],
  heavy: repeated(['/', 'a', 's3://'], (text) => `s3://${text}`),
})
