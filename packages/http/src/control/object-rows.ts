/** Reads of objects and their bytes, and their annotations. */
import {
  type AnnotatedVersion,
  type AnnotateOptions,
  type Annotation,
  type AttributeOptions,
  callArguments,
  type Cancelable,
  type HeadOptions,
  type ObjectAttributes,
  type ObjectInfo,
  schema,
} from '@varve/core'
import { anyNumber, conditionFields, factFields } from './call-values.ts'
import { asOf, type Place, place } from './common-fields.ts'
import { type AsOf, bytesRow, valueRow } from './control-row.ts'
import { flagForm, jsonBody, jsonForm, listForm, momentForm, numberForm, query } from './input.ts'
import { annotatedVersion, objectAttributes, objectInfo } from './object-shapes.ts'

const { boolean, integer, object, optional, text } = schema

/** A version of an object. */
export interface OneVersion extends Place, AsOf {
  /** @default the newest */
  readonly versionId?: string
}

const oneVersion: schema.FieldsOf<OneVersion> = { ...place, versionId: optional(text()), ...asOf }

/** What is read of an object, and on which conditions. */
export type ReadInput = OneVersion & Omit<HeadOptions, keyof Cancelable>

const reading = query(
  object<ReadInput>({
    ...oneVersion,
    ...conditionFields,
    ...factFields,
    range: optional(callArguments.range),
    partNumber: optional(anyNumber),
  }),
  {
    at: momentForm,
    ifMatch: listForm,
    ifNoneMatch: listForm,
    ifModifiedSince: momentForm,
    ifUnmodifiedSince: momentForm,
    range: jsonForm,
    partNumber: numberForm,
    needsKey: flagForm,
  },
)

export const headObject = valueRow<ReadInput, ObjectInfo>({
  name: 'HeadObject',
  summary: 'The facts of an object',
  method: 'GET',
  path: '/-/v1/object',
  isTransactional: true,
  input: reading,
  output: objectInfo,
  run: ({ view, input: { bucket, key, at: _at, ...options }, signal }) =>
    view.objects.head(bucket, key, { ...options, signal }),
})

export const getContent = bytesRow<ReadInput>({
  name: 'GetContent',
  summary: 'The bytes of an object',
  method: 'GET',
  path: '/-/v1/content',
  isTransactional: true,
  input: reading,
  output: objectInfo,
  run: ({ view, input: { bucket, key, at: _at, ...options }, holding, signal }) =>
    view.objects.get(bucket, key, { ...options, ...(holding.isThrifty && { thrifty: true }), signal }),
})

/** Which attributes of an object are read. */
export type AttributesInput = OneVersion & Omit<AttributeOptions, keyof Cancelable>

type PartsPage = NonNullable<AttributeOptions['parts']>

export const getAttributes = valueRow<AttributesInput, ObjectAttributes>({
  name: 'GetAttributes',
  summary: 'The facts of an object, and a page of its parts',
  method: 'GET',
  path: '/-/v1/attributes',
  isTransactional: true,
  input: query(
    object<AttributesInput>({
      ...oneVersion,
      ...factFields,
      parts: optional(object<PartsPage>({ after: optional(integer({ min: 0 })), limit: optional(anyNumber) })),
    }),
    { at: momentForm, parts: jsonForm, needsKey: flagForm },
  ),
  output: objectAttributes,
  run: ({ view, input: { bucket, key, at: _at, ...options }, signal }) =>
    view.objects.attributes(bucket, key, { ...options, signal }),
})

export const getAnnotations = valueRow<OneVersion, AnnotatedVersion>({
  name: 'GetAnnotations',
  summary: 'The tags, the ACL, the retention and the legal hold of a version',
  method: 'GET',
  path: '/-/v1/annotations',
  isTransactional: true,
  input: query(object<OneVersion>(oneVersion), { at: momentForm }),
  output: annotatedVersion,
  run: ({ view, input: { bucket, key, at: _at, ...options }, signal }) =>
    view.objects.annotations(bucket, key, { ...options, signal }),
})

/** A new value of an annotation. */
export interface NewAnnotation extends Place, Omit<AnnotateOptions, keyof Cancelable> {
  readonly annotation: Annotation
}

export const putAnnotation = valueRow<NewAnnotation, AnnotatedVersion>({
  name: 'PutAnnotation',
  summary: 'Changes the tags, the ACL, the retention or the legal hold of a version',
  method: 'PUT',
  path: '/-/v1/annotation',
  isTransactional: true,
  input: jsonBody(
    object<NewAnnotation>({
      ...place,
      annotation: callArguments.annotation,
      versionId: optional(text()),
      bypassGovernance: optional(boolean),
    }),
  ),
  output: annotatedVersion,
  run: ({ acting, input: { bucket, key, annotation, ...options }, signal }) =>
    acting.objects.annotate(bucket, key, annotation, { ...options, signal }),
})
