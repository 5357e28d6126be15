/** Forms and their policies, spoiled, and cut into pieces as a network may cut them. */
import fc from 'fast-check'
import { createMultipartReader, fieldsBytesMax } from '#http/form/multipart'
import { parsePolicyDocument } from '#http/form/policy-document'
import { readForm } from '#http/form/read-form'
import { fuzz, must, outcome } from './fuzz.ts'
import { cutUp, letters, near, repeated, spoiled, wireText } from './mutate.ts'

interface Posted {
  /** One byte per character. */
  readonly wire: string
  readonly cuts: readonly number[]
}

const delimiter = '--b0undary'
const head = 'Content-Disposition: form-data; name='

const partOf = (name: string, value: string, file: string) =>
  `${delimiter}\r\n${head}"${name}"${file}\r\n\r\n${wireText(value)}\r\n`

const forms = fc
  .record({
    fields: fc.array(fc.tuple(fc.constantFrom('key', 'policy', 'x-amz-meta-a', 'X-Ignore-B'), letters(8)), {
      maxLength: 4,
    }),
    file: fc.oneof(letters(20), fc.constantFrom('', '\r\n', '\r\n--b0undar', '--b0undary', '\r\n\r\n--')),
    name: fc.constantFrom('', '; filename=""', '; filename="a/b.txt"', `; filename*=utf-8''%e2%82%ac`),
  })
  .map(({ fields, file, name }) => {
    const parts = fields.map(([field, value]) => partOf(field, value, ''))
    return `${parts.join('')}${partOf('file', file, name)}${delimiter}--\r\n`
  })

const words = [
  delimiter,
  `\r\n${delimiter}`,
  `${delimiter}--`,
  '\r\n\r\n',
  '--',
  head,
  '"; filename="',
  "; filename*=utf-8''%ff",
  'name=',
  'file',
  '\\"',
  '\u00c3',
  'Content-Transfer-Encoding: base64\r\n',
]

/** The fields of a form, as text, so that two readings can be compared. */
async function read({ wire, cuts }: Posted): Promise<string> {
  const reader = createMultipartReader(cutUp(wire, cuts), delimiter.slice(2))
  const { fields, fileName } = await readForm(reader)
  let file = ''
  for await (const piece of reader.content()) file += Buffer.from(piece).toString('latin1')
  await reader.drain()
  return JSON.stringify([[...fields], fileName, file])
}

const codes = [
  'IncorrectNumberOfFilesInPostRequest',
  'InvalidArgument',
  'MalformedPOSTRequest',
  'MaxPostPreDataLengthExceeded',
]

fuzz({
  name: 'form',
  inputs: fc.record({
    wire: fc.oneof({ weight: 1, arbitrary: forms }, { weight: 4, arbitrary: spoiled(forms, words) }),
    cuts: fc.array(fc.nat(2000), { maxLength: 8 }),
  }),
  async parse(form: Posted) {
    const [cut, whole] = await Promise.all([outcome(() => read(form)), outcome(() => read({ ...form, cuts: [] }))])
    must(cut === whole, 'it does not matter where it is cut')
    return read(form)
  },
  check(parsed, { wire }) {
    const [fields, , file] = JSON.parse(parsed) as [[string, string][], unknown, string]
    const names = fields.map(([name]) => name)
    must(new Set(names).size === names.length && !names.includes('file'), 'a name means one thing')
    must(wire.includes(file), 'its file is what was sent')
  },
  codes,
})

const fileOf = (content: string): Posted => ({
  wire: `${partOf('key', 'k', '')}${delimiter}\r\n${head}"file"\r\n\r\n${content}\r\n${delimiter}--\r\n`,
  cuts: [],
})
const whole = (wire: string): Posted => ({ wire, cuts: [] })

fuzz({
  name: 'long form',
  inputs: forms.map(whole),
  parse: async (form: Posted) => read(form),
  codes,
  heavy: {
    ...repeated(['\r', '\n', '\r\n', '-', `\r\n${delimiter.slice(0, -1)}`, '\r\n--\r\n', 'x'], fileOf),
    ...repeated(['\r\n', `${delimiter}\r\n`, partOf('x-ignore-a', '', ''), 'x'], whole),
    ...repeated(['"', '\\', '; a=b', ';', ' ', 'name='], (text) => whole(`${delimiter}\r\n${head}"${text}"\r\n\r\n`)),
    'in pieces of one byte': () => ({
      ...fileOf('\r\n--'.repeat(fieldsBytesMax / 8)),
      cuts: Array.from({ length: fieldsBytesMax }, (_, at) => at),
    }),
  },
})

const condition = fc.oneof(
  fc.tuple(
    fc.constantFrom('eq', 'starts-with'),
    letters(4).map((name) => `$${name}`),
    letters(8),
  ),
  fc.tuple(fc.constant('content-length-range'), fc.integer({ min: -1, max: 9 }), fc.constantFrom(10, '10', 'ten')),
  fc.dictionary(letters(4), letters(4), { maxKeys: 2 }),
)
const policies = fc
  .record({ expiration: fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-01'), conditions: fc.array(condition) })
  .map((policy) => JSON.stringify(policy))
const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64')

fuzz({
  name: 'policy of a form',
  inputs: fc.oneof(
    near(policies, ['[', ']', '{}', '["eq"', '"expiration"', '\\$', '\\v', 'content-length-range', '__proto__']).map(
      base64,
    ),
    near(policies.map(base64)),
  ),
  parse: parsePolicyDocument,
  check({ expiration, conditions }) {
    must(Number.isFinite(expiration), 'it has an end')
    must(
      conditions.every((one) => one.kind !== 'length' || (one.min >= 0 && one.max >= 0)),
      'lengths are none below nothing',
    )
  },
  codes: ['InvalidPolicyDocument'],
  heavy: repeated(['[', '{"a":', '\\', '\\$', '["eq","$a","b"],', '"'], (text) =>
    base64(`{"expiration":"2026-01-01T00:00:00Z","conditions":[${text.slice(0, fieldsBytesMax)}]}`),
  ),
})
