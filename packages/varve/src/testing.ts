/** An S3 server for tests, in the process of the test: `varve/testing`. @module */
export type { FaultTarget, Fault, FaultRule } from './testing/fault-rule.ts'
export type { AddedFault, Faults } from './testing/faults.ts'
export type { Credentials, ForkS3Options, ListenOptions, StartS3Options } from './testing/options.ts'
export { s3Fixture, type S3Fixture } from './testing/s3-fixture.ts'
export { startS3 } from './testing/start-s3.ts'
export { type TestClock, testClock, type TimeSource } from './testing/test-clock.ts'
export type { S3ClientConfiguration, S3RequestHandler, TestS3 } from './testing/test-s3.ts'
