export { AccountObject, default, SessionObject } from '@synapse/remote/worker';
