/** Asks a witness to sign the head of a log: C2SP tlog-witness. */
import { type CosignedCheckpoint, isStorageError, type LogConsistency, type Proofs, StorageError } from '@varve/core'

/** A witness: where it answers, and the public key that it signs with. */
export interface Witness {
  /** The prefix of its API, without `/add-checkpoint`. */
  readonly url: URL
  readonly key: string
}

type Signing = Pick<Proofs, 'consistency' | 'cosign'>

interface Answered {
  readonly text: string
  readonly key: string
  readonly size: number
}

/** The log may grow meanwhile, and other processes may ask the same witness. */
const attemptsMax = 5
const timeoutMs = 30_000
const answerBytesMax = 64 * 1024

/**
 * Sends the checkpoint with a proof that the log has only grown since the one that the witness signed last.
 * @throws StorageError `CheckpointConflict` if the witness knows another log of this name; `ProofInvalid`, kind `witness`, if its
 * signature is not of its key, or it refuses
 */
export async function askWitness(
  proofs: Signing,
  { url, key }: Witness,
  signal: AbortSignal,
): Promise<CosignedCheckpoint> {
  let known = 0
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const proof = await consistencyFrom(proofs, known, url)
    const { status, text } = await send(url, proof.text, signal)
    if (status === 200) {
      const { size } = proof
      const cosigned = await keep(proofs, { text, key, size })
      if (cosigned !== undefined) return cosigned
      known = size
    } else if (status === 409) known = sizeIn(text, url)
    else if (status === 422) throw otherLog(url, known)
    else throw refused(url, `answers ${status}${status === 404 ? ': it does not know this log' : ''}`)
  }
  throw refused(url, `did not take one of ${attemptsMax} checkpoints`)
}

async function consistencyFrom(proofs: Signing, known: number, url: URL): Promise<LogConsistency> {
  try {
    return await proofs.consistency(known)
  } catch (error) {
    throw isStorageError(error, 'MomentOutOfRange') ? otherLog(url, known) : error
  }
}

/** `undefined` if another checkpoint was signed meanwhile, which the witness has not seen. */
async function keep(proofs: Signing, { text, key, size }: Answered): Promise<CosignedCheckpoint | undefined> {
  const line = text.split('\n').find((each) => isOfKey(each, key))
  if (line === undefined) throw invalid(`The witness returned no signature of the key ${key}.`)
  try {
    return await proofs.cosign(line, key)
  } catch (error) {
    if (!isStorageError(error, 'ProofInvalid')) throw error
    const { size: now } = await proofs.consistency(size)
    if (now === size) throw error
    return undefined
  }
}

/** A witness may sign with several keys of one name, such as while it replaces one. */
function isOfKey(line: string, key: string): boolean {
  const [name = '', id] = key.trim().split('+')
  const [, lineName, signature = ''] = line.split(' ')
  return lineName === name && Buffer.from(signature, 'base64').subarray(0, 4).toString('hex') === id
}

async function send(url: URL, body: string, signal: AbortSignal): Promise<{ status: number; text: string }> {
  const target = new URL(`${url.href.replace(/\/$/, '')}/add-checkpoint`)
  try {
    const answer = await fetch(target, {
      method: 'POST',
      body,
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    return { status: answer.status, text: await shortText(answer, url) }
  } catch (cause) {
    signal.throwIfAborted()
    if (isStorageError(cause)) throw cause
    throw invalid(`The witness ${url.href} cannot be reached.`, cause)
  }
}

async function shortText({ body }: Response, url: URL): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > answerBytesMax) throw refused(url, `answers more than ${answerBytesMax} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function sizeIn(text: string, url: URL): number {
  const line = text.trim()
  if (/^\d{1,15}$/.test(line)) return Number(line)
  throw refused(url, 'does not say which checkpoint it knows')
}

const otherLog = (url: URL, known: number): StorageError =>
  new StorageError(
    'CheckpointConflict',
    `The witness ${url.href} signed a checkpoint of ${known} events, with which this log does not begin: it lost events, or is an older copy.`,
    { details: { signed: known } },
  )

const refused = (url: URL, why: string): StorageError => invalid(`The witness ${url.href} ${why}.`)

const invalid = (message: string, cause?: unknown): StorageError =>
  new StorageError('ProofInvalid', message, { details: { kind: 'witness' }, ...(cause !== undefined && { cause }) })
