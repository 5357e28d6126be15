import { S3Error } from '../errors.ts'
import type { ServiceContext } from './operation.ts'

/**
 * Where a bucket is to be, given what the request said about it ('' for nothing).
 *
 * One server is one region. It takes its own name and, in the dialect where one region goes without a name, behaves as
 * that region's endpoint does: it makes buckets anywhere, and will not hear its own name. The endpoint of any other
 * region there wants to hear its name.
 * @throws S3Error `InvalidLocationConstraint`, `IllegalLocationConstraintException`.
 */
export function regionFor(
  constraint: string,
  { dialect, options: { region } }: Pick<ServiceContext, 'dialect' | 'options'>,
): string {
  const { unnamedRegion } = dialect
  if (unnamedRegion === undefined) {
    // s3cmd says EU whatever the case it was told.
    if (constraint === '' || constraint.toLowerCase() === region.toLowerCase()) return region
    throw invalid(constraint)
  }
  if (region === unnamedRegion) {
    if (constraint === '') return region
    if (constraint !== region && regionName.test(constraint)) return constraint
    throw invalid(constraint)
  }
  if (constraint === region || (constraint === 'EU' && region === 'eu-west-1')) return constraint
  throw new S3Error(
    'IllegalLocationConstraintException',
    `The ${constraint || 'unspecified'} location constraint is incompatible for the region specific endpoint this request was sent to.`,
  )
}

/** `EU` is the old name of eu-west-1. */
const regionName = /^(?:EU|[a-z]{2}(?:-[a-z]{2,12}){1,3}-[0-9]{1,2})$/

function invalid(constraint: string): S3Error {
  return new S3Error('InvalidLocationConstraint', 'The specified location-constraint is not valid', {
    details: { LocationConstraint: constraint },
  })
}
