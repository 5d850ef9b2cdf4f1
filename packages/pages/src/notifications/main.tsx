import { startPage } from '../start.js';
import { NotificationsPage } from './NotificationsPage.js';
import './notifications.css';

startPage(<NotificationsPage />);
