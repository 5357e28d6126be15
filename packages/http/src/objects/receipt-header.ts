/**
 * `x-varve-receipt`: a write that is acknowledged with a receipt. The answer names the event and has a signed checkpoint that
 * covers it, and not the receipt: that contains the whole event, and proxies drop long headers after the write is done.
 */
import { parseProof } from '@varve/core'
import type { AnswerHeaders } from '../contract/answer.ts'
import { S3Error } from '../errors/errors.ts'
import type { RequestHeaders } from '../target/request-headers.ts'

export const receiptHeader = 'x-varve-receipt'
/** The signed note, base64. */
const checkpointHeader = 'x-varve-checkpoint'

/** @throws S3Error `InvalidArgument` for another value than `true` and `false` */
export function receiptOption(headers: RequestHeaders): { readonly receipt?: true } {
  const value = headers.single(receiptHeader)?.trim().toLowerCase()
  if (value === 'true') return { receipt: true }
  if (value === undefined || value === 'false') return {}
  throw new S3Error('InvalidArgument', `${receiptHeader} is true or false.`, {
    details: { ArgumentName: receiptHeader },
  })
}

/** Where the receipt is fetched, and the checkpoint that holds the owner of the log to it. */
export function receiptHeaders({ receipt }: { readonly receipt?: string }): AnswerHeaders {
  if (receipt === undefined) return {}
  const { index, checkpoint } = parseProof(receipt)
  return {
    [receiptHeader]: `/-/v1/proofs/event?seq=${index + 1}`,
    [checkpointHeader]: Buffer.from(ownSignatureOnly(checkpoint)).toString('base64'),
  }
}

/** Witnesses may have signed it already. Their signatures would make the header long. */
function ownSignatureOnly(note: string): string {
  const end = note.lastIndexOf('\n\n') + 2
  const [origin] = note.split('\n', 1)
  const own = note
    .slice(end, -1)
    .split('\n')
    .filter((line) => line.split(' ')[1] === origin)
  return `${note.slice(0, end)}${own.join('\n')}\n`
}
