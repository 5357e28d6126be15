import { StorageError } from '@varve/core'
import { jsonDepthMax, JsonTooDeep, parseJson } from '../json/parse-json.ts'

/** The body of a request. No byte of it is read, and no memory reserved, before one of these is called. */
export interface ControlBody {
  /** All bytes. @throws StorageError `EntityTooLarge` if there are more than `bytesMax` */
  whole(bytesMax: number): Promise<Uint8Array>
  /** The bytes as they arrive. */
  stream(): AsyncIterable<Uint8Array>
}

export const tooLong = (bytesMax: number): StorageError =>
  new StorageError('EntityTooLarge', `The body of this request may have ${bytesMax} bytes.`)

const bytesMaxDefault = 64 * 1024

/** @throws StorageError `EntityTooLarge`, `InvalidArgument` for a body that is not JSON in UTF-8, or has too many levels */
export async function jsonOf(body: Pick<ControlBody, 'whole'>, bytesMax = bytesMaxDefault): Promise<unknown> {
  return jsonIn(await body.whole(bytesMax), 'The body of this request')
}

/** @throws StorageError `InvalidArgument`. The message of the parser is left out, because it quotes the text. */
export function jsonIn(bytes: Uint8Array, what: string): unknown {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    const reason = error instanceof JsonTooDeep ? `has more than ${jsonDepthMax} levels` : 'is not JSON in UTF-8'
    throw new StorageError('InvalidArgument', `${what} ${reason}.`)
  }
}
