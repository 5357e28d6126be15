/** The form that the value of an option has in a configuration file. */
import { schema } from '@varve/core'
import type { RateLimit } from '@varve/http'
import { InvalidArgumentError, type Option } from 'commander'
import {
  durationText,
  nodeNamePattern,
  parseAddresses,
  parseBytes,
  parseDuration,
  parseLimit,
  parseNames,
  parseNodeName,
  parsePath,
  parsePort,
  parseRate,
  parseText,
  parseThreads,
  parseTotal,
  parseWorkers,
  rateText,
} from '../support/parse-values.ts'

type JsonSchema = schema.JsonSchema
type Form = Omit<schema.Schema<unknown>, 'fits'>
type Parser = NonNullable<Option['parseArg']>

const duration = '^(0|[0-9]{1,9}(ms|s|min|h|d|w))$'
const bytes = '^[0-9]{1,9}(KiB|MiB|GiB)?$'
const rate = '^[0-9]{1,7}([.][0-9]{1,3})?(/[0-9]{1,7})?$'
const count: JsonSchema = { type: 'integer', minimum: 0, maximum: 64 }

const countOrText = (pattern: string): JsonSchema => ({
  anyOf: [
    { type: 'integer', minimum: 1 },
    { type: 'string', pattern },
  ],
})

/** What each parser accepts, more exactly than as text or a whole number. */
const shapes: ReadonlyMap<unknown, JsonSchema> = new Map<unknown, JsonSchema>([
  [parseText, { type: 'string', minLength: 1 }],
  [parsePath, { type: 'string', minLength: 1 }],
  [parseNodeName, { type: 'string', pattern: nodeNamePattern }],
  [parsePort, { type: 'integer', minimum: 0, maximum: 65_535 }],
  [parseWorkers, count],
  [parseThreads, count],
  [parseTotal, { type: 'integer', minimum: 0, maximum: 999_999_999_999 }],
  [parseLimit, { type: 'integer', minimum: 1, maximum: 9_999_999 }],
  [parseDuration, { type: 'string', pattern: duration }],
  [parseBytes, countOrText(bytes)],
  [parseRate, countOrText(rate)],
])

/** The field of the file is the option without its dashes; `--no-console` is `console = false`. */
export const fieldOf = ({ long = '', negate }: Option): string => long.slice(negate ? '--no-'.length : '--'.length)

/** Whether the value names a file or a directory. */
export const isPath = ({ flags }: Option): boolean => /<(file|dir)>$/.test(flags)

/** Reads a value of the file as the option itself would read its text. */
export function formOf(option: Option): Form {
  const { argChoices, parseArg } = option
  if (!option.required) return schema.boolean
  if (argChoices !== undefined) return schema.literal(...argChoices)
  if (parseArg === undefined) return schema.text({ min: 1 })
  const collects = collecting.find((parser) => (parser as unknown) === parseArg)
  return collects === undefined ? parsedForm(parseArg) : collectedForm(collects)
}

/** Parsers of options that can be repeated. */
const collecting = [parseNames, parseAddresses]

const name = schema.text({ min: 1 })
const names = schema.array(name)

/** One text may have several names, as on the command line. */
const collectedForm = (parser: (typeof collecting)[number]): Form => ({
  json: { anyOf: [names.json, name.json] },
  accepts: () => true,
  read(value) {
    const given = Array.isArray(value) ? names.read(value) : [name.read(value)]
    return given.reduce<readonly string[] | undefined>((before, text) => parsed(parser, text, before), undefined)
  },
})

function parsedForm(parser: Parser): Form {
  const json = shapes.get(parser) ?? { type: ['string', 'integer'] }
  const isText = json['type'] === 'string'
  const isNumber = json['type'] === 'integer'
  return {
    json,
    accepts: () => true,
    read(value) {
      if (isNumber) return schema.integer({ min: Number(json['minimum']), max: Number(json['maximum']) }).read(value)
      const isWhole = typeof value === 'number' && Number.isSafeInteger(value)
      if (typeof value === 'string' ? value === '' : isText || !isWhole)
        throw schema.Mismatch.wrongType(isText ? 'a text' : 'a text or a whole number', value)
      return parsed(parser, String(value))
    },
  }
}

function parsed<T>(parser: (text: string, before: T) => T, text: string, before?: unknown): T {
  try {
    return parser(text, before as T)
  } catch (error) {
    if (error instanceof InvalidArgumentError) throw new schema.Mismatch(`is refused: ${error.message}`)
    throw error
  }
}

/** The value of an option as a file has it. */
export function writtenForm({ parseArg }: Option, value: unknown): unknown {
  if ((parseArg as unknown) === parseDuration) return durationText(value as number)
  return (parseArg as unknown) === parseRate ? rateText(value as RateLimit) : value
}

/** The field of an option by the name of its value: `metricsTokenFile` is `metrics-token-file`. */
export const fieldNameOf = (attribute: string): string =>
  attribute.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
