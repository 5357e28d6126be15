/**
 * Sends an object of 5 GiB through HTTP in parts of 8 MiB, four at a time, and reads it back. Measures the time, the
 * peak memory of the server and the completion call alone, and compares the bytes by SHA-256. The server runs in its
 * own process, so that its memory is measured alone.
 */
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inFlight } from '../lib/measure.ts'
import { ServerProcess } from '../lib/server-process.ts'

const partBytes = 8 * 1024 * 1024
const parts = Number(process.env['VARVE_PARTS'] ?? 640)
const width = 4

const directory = await mkdtemp(join(tmpdir(), 'varve-5gib-'))
const server = await ServerProcess.start(directory)
try {
  const base = await server.memory()
  await server.call({ method: 'PUT', target: '/bench' })
  const created = await server.call({ method: 'POST', target: '/bench/large?uploads=' })
  const uploadId = /<UploadId>(.*?)<\/UploadId>/.exec(created.toString())?.[1] ?? ''
  const body = randomBytes(partBytes)
  const etags: string[] = []
  const sent = createHash('sha256')
  for (let i = 0; i < parts; i++) sent.update(partOf(body, i))

  await timed(`upload ${gib()} in ${parts} parts, ${width} in flight`, () =>
    inFlight(width, parts, async (i) => {
      const target = `/bench/large?partNumber=${i + 1}&uploadId=${uploadId}`
      const { headers } = await server.exchange({ method: 'PUT', target, body: partOf(body, i) })
      etags[i] = String(headers['etag'])
    }),
  )
  const list = etags.map((etag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${etag}</ETag></Part>`).join('')
  const completion = Buffer.from(`<CompleteMultipartUpload>${list}</CompleteMultipartUpload>`)
  const target = `/bench/large?uploadId=${uploadId}`
  await timed('the completion call alone', () => server.call({ method: 'POST', target, body: completion }))
  const received = createHash('sha256')
  const onChunk = (chunk: Buffer) => received.update(chunk)
  await timed(`download ${gib()}`, () => server.exchange({ method: 'GET', target: '/bench/large', onChunk }))
  const same = sent.digest('hex') === received.digest('hex')
  console.log(
    `bytes ${same ? 'are the same' : 'DIFFER'}; server RSS ${base.now} MiB at start, peak ${(await server.memory()).peak} MiB`,
  )
  if (!same) process.exitCode = 1
} finally {
  await server.stop()
  await rm(directory, { recursive: true, force: true })
}

/** Makes every part different by changing only a few bytes. */
function partOf(body: Buffer, index: number): Buffer {
  const part = Buffer.from(body)
  part.writeUInt32BE(index)
  return part
}

function gib(): string {
  return `${((parts * partBytes) / 2 ** 30).toFixed(2)} GiB`
}

async function timed(label: string, work: () => Promise<unknown>): Promise<void> {
  const before = performance.now()
  await work()
  console.log(`${label}: ${((performance.now() - before) / 1000).toFixed(3)} s`)
}
