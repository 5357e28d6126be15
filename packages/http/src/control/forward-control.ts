/** Operations that are carried to the process that has the store open. */
import type { ByteSource, ObjectContent, ObjectInfo, Seq } from '@varve/core'
import type { CallHead } from './call-form.ts'
import type { AsOf, BytesRow, ControlCall, ControlRow, LinesRow, ValueRow } from './control-row.ts'
import { headObject } from './object-rows.ts'
import { getPosition } from './store-rows.ts'

export type OperationBytes = ObjectInfo & Pick<ObjectContent, 'body' | 'close'>

/** An operation whose arguments are known. Only the function for its kind of answer is called. */
export interface Operation {
  /** The position of the past state that it is about. */
  readonly at?: Seq
  value(row: ValueRow<object, unknown>): Promise<unknown>
  lines(row: LinesRow<object, unknown>): AsyncIterable<unknown>
  bytes(row: BytesRow<object>): Promise<OperationBytes>
}

interface Sending {
  readonly signal: AbortSignal
  readonly body?: ByteSource
}

/** A client of the control API of that process. */
export interface ControlForward {
  as(caller: Omit<CallHead, 'arguments'>): ControlForward
  value<I extends object, O>(row: ValueRow<I, O>, input: I, sending: Sending): Promise<O>
  lines<I extends object, O>(row: LinesRow<I, O>, input: I, sending: Sending): AsyncIterable<O>
  content<I extends object>(
    row: BytesRow<I>,
    head: ValueRow<I, ObjectInfo>,
    input: I,
    sending: Sending,
  ): Promise<{ readonly facts: ObjectInfo; readonly body: ByteSource; end(): void }>
}

interface Forwarded extends Pick<ControlCall<object & AsOf>, 'input' | 'body' | 'context' | 'signal'> {
  readonly row: ControlRow
}

/** The process that has the store open does it in the name of the caller, who has the permission here. */
export async function forwarded(
  to: ControlForward,
  { row, input: given, body, context, signal }: Forwarded,
): Promise<Operation> {
  const client = to.as(context)
  const { at: moment } = given
  const at = moment === undefined ? undefined : (await client.value(getPosition, { at: moment }, { signal })).seq
  const input = at === undefined ? given : { ...given, at }
  // Only these operations have bytes besides their arguments.
  const hasBody = row.method === 'PUT' && row.input.place === 'query'
  const sending = { signal, ...(hasBody && { body }) }
  return {
    ...(at !== undefined && { at }),
    value: (one) => client.value(one, input, sending),
    lines: (one) => client.lines(one, input, sending),
    async bytes(one) {
      const {
        facts,
        body: bytes,
        end,
      } = await client.content(one, headObject as ValueRow<object, ObjectInfo>, input, sending)
      return { ...facts, body: bytes, close: async () => end() }
    },
  }
}
