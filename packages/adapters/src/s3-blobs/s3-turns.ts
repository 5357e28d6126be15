import { Turns } from '../system/turns.ts'

/** Places of a blob store in S3. @param kind names them in errors: `connections` */
export const s3Turns = (max: number, waitMs: number, kind: string): Turns =>
  new Turns({ max, waitMs, what: { kind, of: 'the S3 blob store' } })
