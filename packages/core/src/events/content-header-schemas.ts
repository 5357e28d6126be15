import { text } from '../schema/scalars.ts'
import { type FieldsOf, optional } from '../schema/structures.ts'
import type { ContentHeaders } from './content.ts'

/** The fields of the headers that are stored with an object, for shapes that contain them. */
export const contentHeaderFields: FieldsOf<ContentHeaders> = {
  contentType: optional(text()),
  contentEncoding: optional(text()),
  contentLanguage: optional(text()),
  contentDisposition: optional(text()),
  cacheControl: optional(text()),
  expires: optional(text()),
  websiteRedirectLocation: optional(text()),
}
