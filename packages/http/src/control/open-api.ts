/** Describes the control API as OpenAPI 3.1, from the schemas that check its requests and answers. */
import type { schema } from '@varve/core'
import { controlErrorShape } from './control-error.ts'
import type { ControlRow } from './control-row.ts'
import { eventStreamType } from './line-form.ts'

type JsonSchema = schema.JsonSchema

/** The version of the API, which is in its paths. */
const apiVersion = '1'

export const openApi = (rows: readonly ControlRow[]): JsonSchema => ({
  openapi: '3.1.0',
  info: {
    title: 'Varve control API',
    version: apiVersion,
    description:
      'What the owner of an open store answers, over the socket in its directory and on the port of the S3 server.',
  },
  servers: [{ url: 'http://127.0.0.1:9000' }],
  security: [{ sigv4: [] }],
  paths: pathsOf(rows),
  components: {
    securitySchemes: {
      sigv4: {
        type: 'apiKey',
        in: 'header',
        name: 'Authorization',
        description: 'AWS Signature Version 4, service s3. Requests over the local socket are not signed.',
      },
    },
    schemas: { Error: { type: 'object', required: ['error'], properties: { error: controlErrorShape.json ?? {} } } },
  },
})

function pathsOf(rows: readonly ControlRow[]): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const row of rows) (paths[row.path] ??= {})[row.method.toLowerCase()] = operationOf(row)
  return paths
}

function operationOf(row: ControlRow): JsonSchema {
  const { name, summary, action, isLocalOnly = false, input } = row
  return {
    operationId: name,
    summary,
    'x-varve-permission': isLocalOnly ? 'local socket' : (action ?? 'root'),
    ...(input.place === 'query' ? { parameters: parametersOf(input.json) } : {}),
    ...requestBodyOf(row),
    responses: {
      '200': { description: answers[row.gives], content: contentOf(row) },
      default: {
        description: 'An error.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  }
}

const answers: Readonly<Record<ControlRow['gives'], string>> = {
  value: 'One JSON value.',
  lines: 'JSON values of this schema, one a line. If an error follows some of them, it is the last line.',
  bytes: 'The bytes.',
}

function contentOf(row: ControlRow): JsonSchema {
  if (row.gives === 'bytes') return { 'application/octet-stream': {} }
  const stream = row.gives === 'lines' && row.stream !== undefined ? { [eventStreamType]: {} } : {}
  return {
    [row.gives === 'lines' ? 'application/x-ndjson' : 'application/json']: { schema: row.output.json ?? {} },
    ...stream,
  }
}

function requestBodyOf({ method, input }: ControlRow): JsonSchema {
  if (input.place === 'body')
    return { requestBody: { required: true, content: { 'application/json': { schema: input.json } } } }
  return method === 'PUT' ? { requestBody: { required: true, content: { 'application/octet-stream': {} } } } : {}
}

/** Objects in a query are JSON text, arrays are words with commas between them. */
function parametersOf({ properties = {}, required = [] }: JsonSchema): readonly JsonSchema[] {
  return Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(([name, shape]) => ({
    name,
    in: 'query',
    required: (required as readonly string[]).includes(name),
    ...(shape['type'] === 'array' && { style: 'form', explode: false }),
    ...(shape['type'] === 'object' ? { content: { 'application/json': { schema: shape } } } : { schema: shape }),
  }))
}
