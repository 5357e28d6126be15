import { S3Error } from '../errors/errors.ts'

/** The error for a body that is not a valid form. */
export function malformed(reason: string): S3Error {
  return new S3Error(
    'MalformedPOSTRequest',
    `The body of your POST request is not well-formed multipart/form-data. ${reason}`,
  )
}
