import './review.css';
import { startPage } from '../start.js';
import { dropOldDrafts } from './draft-store.js';
import { ReviewPage } from './ReviewPage.js';

dropOldDrafts();
const id = location.pathname.slice('/review/'.length);
startPage(<ReviewPage id={id} />, { wide: true });
