/** How the arguments of an operation are written into a request and read from it: as a query, or as a JSON body. */
import { schema, StorageError } from '@varve/core'
import { parseJson } from '../json/parse-json.ts'
import { type ControlBody, jsonOf } from './json-body.ts'

const { checked } = schema

/** The parts of a request that carry arguments. */
export interface ArgumentSource {
  readonly parameters: URLSearchParams
  readonly body: Pick<ControlBody, 'whole'>
}

/** The arguments as a client sends them. */
export interface WrittenArguments {
  /** Without the question mark. */
  readonly query: string
  /** Absent: the arguments are in the query alone. */
  readonly json?: string
}

export interface Input<I extends object> {
  /** @throws StorageError `InvalidArgument`, `EntityTooLarge` */
  read(source: ArgumentSource): Promise<I>
  /** Checks arguments that were sent as one JSON value. @throws StorageError `InvalidArgument` */
  of(value: unknown): I
  write(input: I): WrittenArguments
  readonly place: 'query' | 'body'
  /** What the arguments are, as JSON. */
  readonly json: schema.JsonSchema
}

/** The text form of an argument. `parse` leaves text that has not this form as it is, for the schema to refuse. */
export interface TextForm {
  parse(text: string): unknown
  print(value: unknown): string
}

const plain: TextForm = { parse: (text) => text, print: String }

export const numberForm: TextForm = { parse: (text) => (/^\d{1,15}$/.test(text) ? Number(text) : text), print: String }

export const flagForm: TextForm = {
  parse: (text) => (text === 'true' || text === 'false' ? text === 'true' : text),
  print: String,
}

export const jsonForm: TextForm = {
  parse(text) {
    try {
      return parseJson(text)
    } catch {
      return text
    }
  },
  print: (value) => JSON.stringify(value),
}

/** Words with commas between them. */
export const listForm: TextForm = {
  parse: (text) => text.split(','),
  print: (value) => (value as readonly string[]).join(','),
}

/** A moment stays text, which the store reads. */
export const momentForm: TextForm = {
  parse: (text) => text,
  print: (value) => (value instanceof Date ? value.toISOString() : String(value)),
}

/** Arguments in the query. `forms` names the fields that are not text. */
export function query<I extends object>(
  fields: schema.Schema<I>,
  forms: { readonly [K in keyof I]?: TextForm } = {},
): Input<I> {
  const formOf = (name: string): TextForm => (Object.hasOwn(forms, name) ? forms[name as keyof I] : undefined) ?? plain
  return {
    place: 'query',
    get json() {
      return fields.json ?? {}
    },
    async read({ parameters }) {
      const given = Object.create(null) as Record<string, unknown>
      for (const [name, text] of parameters) {
        if (Object.hasOwn(given, name)) {
          const shown = JSON.stringify(name.slice(0, 64))
          throw new StorageError('InvalidArgument', `The query has the parameter ${shown} more than once.`)
        }
        given[name] = formOf(name).parse(text)
      }
      assertNoKey(given)
      return checked('options', fields, given)
    },
    of: (value) => checked('options', fields, value),
    write(input) {
      const written = new URLSearchParams()
      for (const [name, value] of Object.entries(input)) {
        if (value !== undefined) written.append(name, formOf(name).print(value))
      }
      // Signatures know no other spelling of a space.
      return { query: written.toString().replaceAll('+', '%20') }
    },
  }
}

/** A URL is no place for a key, because servers and proxies log it. @throws StorageError `InvalidRequest` */
function assertNoKey({ customerKey, encryption }: Readonly<Record<string, unknown>>): void {
  const mode = typeof encryption === 'object' && encryption !== null && 'mode' in encryption && encryption.mode
  if (customerKey === undefined && mode !== 'SSE-C') return
  throw new StorageError(
    'InvalidRequest',
    'A query must not contain the key of a client. Use S3, or the form of a call.',
  )
}

/** Arguments in a JSON body. @param bytesMax of the body; default: 64 KiB */
export const jsonBody = <I extends object>(fields: schema.Schema<I>, bytesMax?: number): Input<I> => ({
  place: 'body',
  of: (value) => checked('options', fields, value),
  get json() {
    return fields.json ?? {}
  },
  async read({ parameters, body }) {
    for (const [name] of parameters) {
      const shown = JSON.stringify(name.slice(0, 64))
      throw new StorageError('InvalidArgument', `The arguments are in the body, so the query cannot have ${shown}.`)
    }
    return checked('options', fields, await jsonOf(body, bytesMax))
  },
  write: (input) => ({ query: '', json: JSON.stringify(input) }),
})

/** No arguments. */
export const nothing: Input<object> = query(schema.object<object>({}))
