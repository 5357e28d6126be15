/** Answers one request of the control API, whatever carried it. */
import { type ObjectContent, type Seq, StorageError, type Store } from '@varve/core'
import { type AsOf, type ControlCall, type ControlRow, type LinesRow } from './control-row.ts'
import { controlErrorOf, statusOf } from './control-error.ts'
import { controlRows } from './table.ts'

export interface ControlRequest {
  readonly method: string
  /** The path and the query, as received. */
  readonly target: string
  readonly body: AsyncIterable<Uint8Array>
  /** Aborts when the client is gone, and when the store closes. */
  readonly signal: AbortSignal
}

interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

/** What is answered. Lines never fail: an error is their last line. Bytes fail as the reading of the object does. */
export type ControlAnswer = Answered &
  (
    | { readonly gives: 'value'; readonly text: string }
    | { readonly gives: 'lines'; readonly lines: AsyncIterable<string> }
    | { readonly gives: 'bytes'; readonly content: Pick<ObjectContent, 'body' | 'close' | 'size'> }
  )

/** The position that an answer as of the past is of. */
const positionHeader = 'x-varve-at'

/** Never rejects. */
export async function answerControl(store: Store, request: ControlRequest): Promise<ControlAnswer> {
  try {
    return await answer(store, request)
  } catch (error) {
    const shown = controlErrorOf(error)
    return { gives: 'value', status: statusOf(shown), headers: json, text: JSON.stringify({ error: shown }) }
  }
}

const anyHost = 'http://varve'
const json = { 'content-type': 'application/json', 'cache-control': 'no-store' }
const lines = { ...json, 'content-type': 'application/x-ndjson' }
const bytes = { ...json, 'content-type': 'application/octet-stream' }

async function answer(store: Store, { method, target, body, signal }: ControlRequest): Promise<ControlAnswer> {
  if (!URL.canParse(target, anyHost)) throw new StorageError('InvalidRequest', 'The target of the request is no URL.')
  const { pathname, searchParams: parameters } = new URL(target, anyHost)
  const row = rowOf(method, pathname)
  const input = await row.input.read({ parameters, body })
  const { at }: AsOf = input
  const past = at === undefined ? undefined : await store.at(at)
  const call = { store, view: past ?? store, input, body, signal }
  const headers = past === undefined ? {} : { [positionHeader]: String(past.seq) }
  return run(row, call, headers)
}

async function run(
  row: ControlRow,
  call: ControlCall<object>,
  headers: { readonly [positionHeader]?: string },
): Promise<ControlAnswer> {
  if (row.gives === 'lines') {
    return { gives: 'lines', status: 200, headers: { ...lines, ...headers }, lines: await begun(row, call) }
  }
  if (row.gives === 'bytes') {
    const content = await row.run(call)
    const facts: { readonly seq: Seq; readonly versionId: string } = content
    const own = { 'x-varve-seq': String(facts.seq), 'x-varve-version-id': facts.versionId }
    return { gives: 'bytes', status: 200, headers: { ...bytes, ...own, ...headers }, content }
  }
  return { gives: 'value', status: 200, headers: { ...json, ...headers }, text: JSON.stringify(await row.run(call)) }
}

/** @throws StorageError `NotImplemented`, `MethodNotAllowed` */
function rowOf(method: string, pathname: string): ControlRow {
  const found = controlRows.filter(({ path }) => path === pathname)
  const row = found.find((each) => each.method === method)
  if (row !== undefined) return row
  const shown = pathname.slice(0, 100)
  if (found.length === 0) throw new StorageError('NotImplemented', `The control API has no ${shown}.`)
  const allowed = found.map((each) => each.method).join(', ')
  throw new StorageError('MethodNotAllowed', `${shown} takes ${allowed}.`)
}

/** Takes the first value before the answer begins, so that its error has a status. */
async function begun(row: LinesRow<object, unknown>, call: ControlCall<object>): Promise<AsyncIterable<string>> {
  const values = row.run(call)[Symbol.asyncIterator]()
  const first = await values.next()
  return textOf(first, values)
}

async function* textOf(first: IteratorResult<unknown>, values: AsyncIterator<unknown>): AsyncGenerator<string> {
  try {
    for (let next = first; next.done !== true; next = await values.next()) yield `${JSON.stringify(next.value)}\n`
  } catch (error) {
    yield `${JSON.stringify({ error: controlErrorOf(error) })}\n`
  } finally {
    await values.return?.()
  }
}
