/** Calls of the control API: arguments in the query or as JSON, answers as JSON or as lines of JSON. */

import { schema } from '@varve/core'
import type { Query } from '../signing/percent.ts'
import type { Call, Connection } from '../transport/connection.ts'
import { ServerError } from '../transport/failures.ts'

export interface ControlCall {
  readonly query?: Query
  readonly json?: unknown
  readonly signal?: AbortSignal | undefined
  /** Called when the answer begins, with the id of its request in the log. */
  readonly onAnswer?: (requestId: string | undefined) => void
}

/**
 * Requests one value, such as `control(connection, 'GET', 'usage', { shape: usageShape })`.
 * @throws ServerError, Unreachable, `AbortError`; StorageError `InvalidArgument` if the answer has another shape
 */
export async function control<T>(
  connection: Connection,
  method: Call['method'],
  name: string,
  { shape, ...call }: ControlCall & { readonly shape: schema.Schema<T> },
): Promise<T> {
  const response = await sendControl(connection, method, name, call)
  return schema.checked(name, shape, await response.json(), schema.answerBounds)
}

/** As `control`, for an answer of lines, which come one by one. An error in the last line is thrown. */
export async function* controlLines<T>(
  connection: Connection,
  method: Call['method'],
  name: string,
  { shape, ...call }: ControlCall & { readonly shape: schema.Schema<T> },
): AsyncGenerator<T> {
  const response = await sendControl(connection, method, name, call)
  for await (const line of linesOf(response)) {
    // A quiet stream sends empty lines, so that connections stay open.
    if (line === '') continue
    const value: unknown = JSON.parse(line)
    const error = errorIn(value, response)
    if (error !== undefined) throw error
    yield schema.checked(name, shape, value, schema.answerBounds)
  }
}

async function sendControl(
  connection: Connection,
  method: Call['method'],
  name: string,
  { query = [], json, signal, onAnswer }: ControlCall,
): Promise<Response> {
  const response = await connection.send(
    {
      method,
      path: `/-/v1/${name}`,
      query,
      signal,
      ...(json !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(json) }),
    },
    readControlError,
  )
  onAnswer?.(response.headers.get('x-amz-request-id') ?? undefined)
  return response
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  if (response.body === null) return
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      const lines = (rest + piece.value).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
    if (rest !== '') yield rest
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

interface ControlFailure {
  readonly error: { readonly code: string; readonly message: string; readonly details: schema.Json }
}

const errorShape = schema.object<ControlFailure>({
  error: schema.objectWith({ code: schema.text(), message: schema.text(), details: schema.json }),
})

function errorIn(value: unknown, response: Response): ServerError | undefined {
  if (!errorShape.accepts(value)) return undefined
  const { code, message, details } = errorShape.read(value).error
  const given = typeof details === 'object' && details !== null ? Object.entries(details) : []
  return new ServerError({
    code,
    status: response.status,
    message,
    details: {
      date: response.headers.get('date') ?? '',
      ...Object.fromEntries(given.map(([name, detail]) => [name, textOf(detail)])),
    },
    requestId: response.headers.get('x-amz-request-id') ?? undefined,
  })
}

const textOf = (detail: unknown): string => (typeof detail === 'string' ? detail : JSON.stringify(detail))

function readControlError(response: Response, body: string): ServerError {
  const unexpected = new ServerError({
    code: response.status === 403 ? 'AccessDenied' : 'UnexpectedAnswer',
    status: response.status,
    message: `The server answered with status ${response.status}.`,
  })
  try {
    return errorIn(JSON.parse(body), response) ?? unexpected
  } catch {
    return unexpected
  }
}
