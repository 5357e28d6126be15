/** Forms that no page would send. The request itself names no identity, so every byte of the form is untrusted. */
import { createHmac } from 'node:crypto'
import { requestText } from '../../acceptance/support/wire.ts'
import type { Outcome, Row } from '../row.ts'
import type { Scene } from '../scene.ts'

const boundary = 'b0undary'
type Field = readonly [name: string, value: string]

const part = ([name, value]: Field) =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const bodyOf = (...fields: readonly Field[]) => `${fields.map(part).join('')}--${boundary}--\r\n`
const file: Field = ['file', 'intruder']

/** Fields that root's page would have; further conditions are JSON. */
function signed({ server }: Scene, conditions: readonly string[] = [], key = 'intruder'): readonly Field[] {
  const { accessKeyId, secretAccessKey } = server.credentials('root')
  const all = ['{"bucket":"hostile"}', '["starts-with","$key",""]', ...conditions].join()
  const policy = Buffer.from(`{"expiration":"2999-01-01T00:00:00Z","conditions":[${all}]}`).toString('base64')
  const signature = createHmac('sha1', secretAccessKey).update(policy).digest('base64')
  return [
    ['key', key],
    ['AWSAccessKeyId', accessKeyId],
    ['policy', policy],
    ['signature', signature],
  ]
}

const form = (
  name: string,
  body: string | ((scene: Scene) => string),
  outcome: Outcome,
  extra: { readonly type?: string; readonly line?: string; readonly headers?: readonly string[] } = {},
): Row => ({
  name,
  outcome,
  bytes(scene) {
    const { type = `multipart/form-data; boundary=${boundary}`, line = 'POST /hostile', headers = [] } = extra
    const text = typeof body === 'string' ? body : body(scene)
    const length = `content-length: ${Buffer.byteLength(text, 'latin1')}`
    return requestText(line, [`host: ${scene.server.host}`, `content-type: ${type}`, length, ...headers], text)
  },
})

const malformed: Outcome = [400, 'MalformedPOSTRequest']
const denied: Outcome = [403, 'AccessDenied']
const invalid: Outcome = [400, 'InvalidArgument']
const ahead: Outcome = [400, 'MaxPostPreDataLengthExceeded']

export const forms: readonly Row[] = [
  form('an unsigned form', bodyOf(['key', 'intruder'], file), denied),
  form('a form for another bucket', (scene) => bodyOf(...signed(scene), file), denied, { line: 'POST /anns' }),
  form('a form to a key', (scene) => bodyOf(...signed(scene), file), [405, 'MethodNotAllowed'], {
    line: 'POST /hostile/intruder',
  }),
  form('a form with a subresource', (scene) => bodyOf(...signed(scene), file), [400, 'InvalidArgument'], {
    line: 'POST /hostile?notification',
  }),
  form('a form with another content type', bodyOf(file), [412, 'PreconditionFailed'], { type: 'text/plain' }),
  form('a form without a boundary', bodyOf(file), malformed, { type: 'multipart/form-data' }),
  form('a boundary of 71 characters', bodyOf(file), malformed, {
    type: `multipart/form-data; boundary=${'b'.repeat(71)}`,
  }),
  form('nothing', '', malformed),
  form('a form that ends in a field', bodyOf(['key', 'intruder']).slice(0, -20), malformed),
  form('a form that ends in its file', (scene) => bodyOf(...signed(scene), file).slice(0, -20), malformed),
  form('a form without a file', (scene) => bodyOf(...signed(scene)), [400, 'IncorrectNumberOfFilesInPostRequest']),
  form('a form without a key', (scene) => bodyOf(...signed(scene).slice(1), file), invalid),
  form('two keys', (scene) => bodyOf(['key', 'hostile'], ...signed(scene), file), invalid),
  form('two policies', (scene) => bodyOf(...signed(scene), ['Policy', 'e30='], file), invalid),
  form('a field whose name has no end', bodyOf(file).replace('"file"', '"file'), malformed),
  form('a field that is not UTF-8', bodyOf(['key', '\u00ff'], file), malformed),
  form('a field named __proto__', (scene) => bodyOf(['__proto__', 'x'], ...signed(scene), file), denied),
  form('fields of 21 KB', bodyOf(['key', 'x'.repeat(21_000)], file), ahead),
  form('a head of 21 KB', `--${boundary}\r\nX: ${'x'.repeat(21_000)}`, ahead),
  form('21 KB before the first part', `${'x'.repeat(21_000)}${bodyOf(file)}`, ahead),
  form('a thousand fields', bodyOf(...Array.from({ length: 1000 }, (_, i): Field => [`x-ignore-${i}`, ''])), ahead),
  form('a key of 1025 bytes', (scene) => bodyOf(...signed(scene, [], 'k'.repeat(1025)), file), [
    400,
    'KeyTooLongError',
  ]),
  form('a condition of nothing', (scene) => bodyOf(...signed(scene, ['{}']), file), [400, 'InvalidPolicyDocument']),
  form('a policy of brackets', (scene) => bodyOf(...signed(scene, [`${'['.repeat(5000)}${']'.repeat(5000)}`]), file), [
    400,
    'InvalidPolicyDocument',
  ]),
  form(
    'a line feed in a type',
    (scene) => bodyOf(...signed(scene, ['["starts-with","$content-type",""]']), ['Content-Type', 'a\r\nx: y'], file),
    invalid,
  ),
  form('unsigned metadata', (scene) => bodyOf(...signed(scene), file), denied, { headers: ['x-amz-meta-a: b'] }),
  form('an unknown access key', (scene) => bodyOf(...signed(scene), file).replace('AK-root', 'AK-nob'), [
    403,
    'InvalidAccessKeyId',
  ]),
  form('another key’s signature', (scene) => bodyOf(...signed(scene), file).replace('AK-root', 'AK-ann'), [
    403,
    'SignatureDoesNotMatch',
  ]),
  form(
    'a file longer than the policy allows',
    (scene) => bodyOf(...signed(scene, ['["content-length-range",0,3]']), file),
    [400, 'EntityTooLarge'],
  ),
]
