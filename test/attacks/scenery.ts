/** What the attacks find: buckets that are full, with rules and policies as costly as they may be. */
import { TestService } from '../bounds/support/test-service.ts'
import type { Served } from '../bounds/support/served-store.ts'
import { policies } from './documents.ts'

export const plainBucket = 'plain'
export const fullBucket = 'full'
export const probedBucket = 'probed'
export const policyBucket = (shape: string): string => `policy-${shape}`

let upload = ''
/** Key and query of an upload with many parts. */
export const stuckUpload = (): string => upload

const names = Array.from({ length: 1100 }, (_, at) => `k${String(at).padStart(4, '0')}${'%01'.repeat(1000)}`)

export async function layOut(served: Served): Promise<void> {
  const service = new TestService(served, { connections: 16 })
  const put = (path: string, text = '') => service.expect(`PUT ${path}`, { body: [Buffer.from(text)] })
  for (const bucket of [plainBucket, fullBucket, probedBucket]) await put(`/${bucket}`)
  await put(`/${fullBucket}?versioning=`, '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>')
  await inParallel(names, (name) => put(`/${fullBucket}/${name}`))
  await inParallel(names.slice(0, 300), (name) => service.expect(`POST /${fullBucket}/${name}?uploads=`))
  await put(`/${fullBucket}/small`, 'small')
  await service.expect(`PUT /${fullBucket}/middle`, { body: [Buffer.alloc(100_000, 'x')] })
  await service.expect(`PUT /${fullBucket}/large`, { body: [Buffer.alloc(16 * 2 ** 20, 'x')] })
  const patterns = Array.from({ length: 1500 }, (_, at) => `<AllowedHeader>y${at}*z</AllowedHeader>`).join('')
  const rule = `<AllowedMethod>GET</AllowedMethod><AllowedOrigin>*</AllowedOrigin>${patterns}`
  await put(`/${fullBucket}?cors=`, `<CORSConfiguration><CORSRule>${rule}</CORSRule></CORSConfiguration>`)
  await layOutUpload(service)
  for (const [shape, make] of Object.entries(policies)) {
    const bucket = policyBucket(shape)
    await put(`/${bucket}`)
    await put(`/${bucket}?policy=`, JSON.stringify({ Version: '2012-10-17', Statement: make(bucket) }))
  }
  service.close()
}

async function layOutUpload(service: TestService): Promise<void> {
  const begun = await service.expect(`POST /${fullBucket}/many?uploads=`)
  const id = /<UploadId>(.*?)<\/UploadId>/.exec(begun.body.toString())?.[1] ?? ''
  const numbers = Array.from({ length: 300 }, (_, at) => at + 1)
  await inParallel(numbers, (number) =>
    service.expect(`PUT /${fullBucket}/many?partNumber=${number}&uploadId=${id}`, { body: [Buffer.from('part')] }),
  )
  upload = `many?uploadId=${id}`
}

async function inParallel<T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < items.length; at += 64) await Promise.all(items.slice(at, at + 64).map(act))
}
