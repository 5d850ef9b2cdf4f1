import './inbox.css';
import { dropOldDrafts } from '../review/draft-store.js';
import { takePlace } from '../session/return.js';
import { startPage } from '../start.js';
import { InboxPage } from './InboxPage.js';

const place = takePlace();
if (place !== null) location.replace(place);
dropOldDrafts();
startPage(<InboxPage />, { wide: true });
